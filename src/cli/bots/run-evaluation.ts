import { readFile } from 'node:fs/promises';
import type { Answer } from '../../contracts/document-index/questions.ts';
import type { SearchResponse } from '../../contracts/document-index/search.ts';
import { BadRequest } from '../../contracts/problems.ts';
import { evaluateQuestion, type QuestionScores } from '../../document-index/evaluation/evaluate-question.ts';
import { type EvaluationQuestion, readQuestions } from '../../document-index/evaluation/read-questions.ts';
import { type EvaluationSummary, summariseScores } from '../../document-index/evaluation/summarise-scores.ts';
import { countOf } from '../../platform/count-of.ts';
import { StartupError } from '../../platform/startup-error.ts';
import { type ManagementApi, openManagement } from '../server/management-api.ts';
import type { ServerOptions } from '../server/server-options.ts';
import { print, printJson, tell } from '../terminal/print.ts';
import { redraw } from '../terminal/progress-line.ts';
import { table } from '../terminal/table.ts';
import { paths } from './index-paths.ts';

interface EvaluationOptions extends ServerOptions {
  limit?: number;
  json?: boolean;
}

interface Evaluated {
  question: EvaluationQuestion;
  answer: string;
  scores: QuestionScores;
}

/** Questions that are under way at the same time. */
const parallel = 2;
const passagesWanted = 10;

/** Puts questions with known answers to a bot and prints how well it does. */
export async function runEvaluation(bot: string, file: string, options: EvaluationOptions): Promise<void> {
  const all = await questionsIn(file);
  const questions = options.limit === undefined ? all : all.slice(0, options.limit);
  const api = await openManagement(options);
  const results = new Array<Evaluated>(questions.length);
  let [next, done] = [0, 0];
  const work = async () => {
    for (let at = next++; at < questions.length; at = next++) {
      results[at] = await evaluate(api, bot, questions[at] as EvaluationQuestion);
      done++;
      if (process.stderr.isTTY) redraw(process.stderr, `${done} of ${countOf(questions.length, 'question')}`);
    }
  };
  try {
    await Promise.all(Array.from({ length: parallel }, work));
  } finally {
    if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  }
  const summary = summariseScores(results.map(({ scores }) => scores));
  if (options.json) return printJson({ bot, summary, questions: results });
  print(summaryTable(summary));
  tellWorst(results);
}

async function questionsIn(file: string): Promise<EvaluationQuestion[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new StartupError(
      error.code === 'ENOENT' ? `no such file: ${file}` : `${file} can't be read (${error.code})`,
    );
  });
  try {
    return readQuestions(text);
  } catch (error) {
    throw error instanceof BadRequest ? new StartupError(`${file}: ${error.message}`) : error;
  }
}

async function evaluate(api: ManagementApi, bot: string, question: EvaluationQuestion): Promise<Evaluated> {
  const text = { question: question.question };
  const found = await api.call<SearchResponse>('POST', paths.search(bot), { ...text, limit: passagesWanted });
  const answer = await api.call<Answer>('POST', paths.question(bot), text);
  return { question, answer: answer.answer, scores: evaluateQuestion(question, found.passages, answer) };
}

const percent = (value: number | null) => (value === null ? '–' : `${(value * 100).toFixed(1)} %`);

const summaryTable = (summary: EvaluationSummary) =>
  table(
    ['MEASURE', 'VALUE'],
    [
      ['questions', String(summary.questions)],
      ['without an answer in the documents', String(summary.unanswerable)],
      ['recall@1', percent(summary.recall_at_1)],
      ['recall@5', percent(summary.recall_at_5)],
      ['recall@10', percent(summary.recall_at_10)],
      ['nDCG@10', percent(summary.ndcg_at_10)],
      ['answer F1', percent(summary.answer_f1)],
      ['words of the right answer', percent(summary.answer_recall)],
      ['right citations', percent(summary.citation_accuracy)],
      ['quotes word for word', percent(summary.quotes_verbatim)],
      ['refused, of the unanswerable', percent(summary.refused_of_unanswerable)],
      ['answered, of the others', percent(summary.answered_of_answerable)],
    ],
  );

function tellWorst(results: readonly Evaluated[]): void {
  const wrong = results.filter(({ scores }) => scores.refused !== scores.mayRefuse);
  if (wrong.length === 0) return;
  tell(`\n${countOf(wrong.length, 'question')} wrongly answered or refused, such as:`);
  for (const { question, scores } of wrong.slice(0, 5)) {
    tell(`  ${scores.refused ? 'refused' : 'answered'}: ${question.question}`);
  }
}

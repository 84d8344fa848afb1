import type { Selectable } from 'kysely';
import type { Answering } from '../../contracts/answering.ts';
import type { RegressionResult } from '../../contracts/document-index/commands.ts';
import type { Answer } from '../../contracts/document-index/questions.ts';
import { InternalFault, Problem } from '../../contracts/problems.ts';
import type { BotQuestionRow } from '../tables.ts';
import { regressionFault } from './judge-regression.ts';
import { questionKey, type RegressionMemory } from './regression-memory.ts';

export interface RegressionDependencies {
  answering: Answering;
  /** The regression questions of a bot, in their order. */
  questions(
    bot: string,
  ): Promise<Pick<Selectable<BotQuestionRow>, 'question' | 'answer' | 'document' | 'page'>[]>;
  memory: RegressionMemory;
}

export interface RegressionRun {
  bot: string;
  signal: AbortSignal;
  onProgress?(progress: { done: number; total: number }): void;
}

/**
 * Asks a bot its regression questions and says what got worse since the last run. Null without questions. A question
 * that fails for another reason, such as a model that is away, counts as not passed.
 */
export async function runRegression(
  deps: RegressionDependencies,
  { bot, signal, onProgress }: RegressionRun,
): Promise<RegressionResult | null> {
  const questions = await deps.questions(bot);
  if (questions.length === 0) return null;
  const before = await deps.memory.last(bot);
  const outcomes: { key: string; question: string; passed: boolean; reason: string | null }[] = [];
  for (const { question, answer, document, page } of questions) {
    signal.throwIfAborted();
    const right = { question, answer, document: document ?? undefined, page: page ?? undefined };
    const reason = await answerOf(deps, { bot, question, signal }).then(
      (given) => regressionFault(right, given),
      (error: unknown) => failureIn(error, signal),
    );
    outcomes.push({ key: questionKey(question), question, passed: reason === null, reason });
    onProgress?.({ done: outcomes.length, total: questions.length });
  }
  const passedBefore = new Map(before?.map((each) => [each.key, each.passed]));
  const worse = outcomes.filter(({ key, passed }) => !passed && passedBefore.get(key) === true);
  await deps.memory.keep(
    bot,
    outcomes.map(({ key, passed }) => ({ key, passed })),
  );
  return {
    questions: outcomes.length,
    passed: outcomes.filter(({ passed }) => passed).length,
    worse: worse.map(({ question, reason }) => ({ question, reason: reason ?? '' })),
  };
}

async function answerOf(
  { answering }: RegressionDependencies,
  { bot, question, signal }: { bot: string; question: string; signal: AbortSignal },
): Promise<Answer> {
  for await (const event of answering.answer(bot, { question }, { signal })) {
    if (event.type === 'answer') return event.answer;
  }
  throw new InternalFault('the bot ended without an answer');
}

function failureIn(error: unknown, signal: AbortSignal): string {
  signal.throwIfAborted();
  if (error instanceof Problem) return `it could not be answered: ${error.message}`;
  throw error;
}

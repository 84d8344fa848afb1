import type { AnswerInput, AnswerOptions, AnswerStage } from '../../contracts/answering.ts';
import type { Answer } from '../../contracts/document-index/questions.ts';
import { Unavailable } from '../../contracts/problems.ts';
import type { Passage } from '../../contracts/retrieval.ts';
import type { Inference } from '../../platform/inference/inference.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { BotProfile, Bots } from '../bots.ts';
import { extractAnswer } from '../extracting/extract-answer.ts';
import type { SentenceMeanings } from '../meaning/sentence-meanings.ts';
import type { ChatModels } from '../models/chat-models.ts';
import { callOptions, ModelCall } from '../models/model-call.ts';
import { UsedTokens } from '../models/used-tokens.ts';
import { findPassages } from './find-passages.ts';
import { phrasesIn } from './language.ts';
import { headingQuestions, relevantQuestions } from './relevant-questions.ts';
import { type WrittenAnswer, writeAnswer } from './write-answer.ts';

export interface AnswerDependencies {
  bots: Pick<Bots, 'get' | 'search'>;
  inference: Inference;
  models: Pick<ChatModels, 'current'>;
  meanings: SentenceMeanings;
  settings: { mode: 'auto' | 'extractive' | 'generative'; answer_tokens: number };
  logger: Pick<Logger, 'warn'>;
}

export type DraftEvent =
  | { type: 'stage'; stage: AnswerStage }
  | { type: 'delta'; text: string }
  /** The answer, with the passages that it was made from. */
  | { type: 'answer'; answer: Answer; passages: Passage[]; isWritten: boolean };

/** Answers a question about a bot's documents. Whether to refuse is decided by the search, not by the model. */
export async function* answerQuestion(
  deps: AnswerDependencies,
  bot: string,
  { question, history = [] }: AnswerInput,
  options: AnswerOptions,
): AsyncGenerator<DraftEvent, void> {
  const profile = await deps.bots.get(bot);
  if (!profile.ready) throw notReady(profile);
  yield { type: 'stage', stage: 'searching' };
  const used = new UsedTokens();
  const call = callOptions(options);
  const model = await deps.models.current(call);
  const writer = model && new ModelCall(deps.inference, model, call, used);
  const { standAlone, found } = await findPassages(
    { search: (query) => deps.bots.search(bot, { ...query, ...call }), writer },
    { question, history },
  );
  const { passages, language } = found;
  const finish = (
    text: string,
    rest: Pick<Answer, 'documents' | 'relevant_questions'>,
    isWritten = false,
  ): DraftEvent => ({
    type: 'answer',
    answer: { answer: text, summary: text, ...rest, usage: used.usage },
    passages,
    isWritten,
  });
  if (!found.answerable || passages.length === 0) {
    const text = phrasesIn(language).notFound;
    yield { type: 'delta', text };
    yield finish(text, { documents: [], relevant_questions: headingQuestions(found) });
    return;
  }
  yield { type: 'stage', stage: 'reading' };
  const meaning = await deps.meanings.open(language, call, used);
  yield { type: 'stage', stage: 'answering' };
  const parts = {
    userStory: profile.user_story,
    passages,
    history,
    question,
    standAlone,
    language,
  };
  const writing = { answerTokens: deps.settings.answer_tokens, findTranslated: meaning?.findTranslated };
  const written = writer && (yield* attempt(deps, writeAnswer({ call: writer, ...writing }, parts), options));
  const related = { question: standAlone, examples: profile.example_questions, found };
  if (written) {
    const relevant_questions = relevantQuestions({ ...related, proposed: written.questions });
    yield finish(written.text, { documents: written.citations, relevant_questions }, true);
    return;
  }
  const { text, citations } = await extractAnswer(parts, passages, meaning?.reorder);
  // A model's unsupported text may have been shown; the final answer replaces it.
  if (!writer) yield { type: 'delta', text };
  yield finish(text, { documents: citations, relevant_questions: relevantQuestions(related) });
}

/** In automatic mode a model that fails is done without. */
async function* attempt(
  { settings, logger }: AnswerDependencies,
  writing: AsyncGenerator<string, WrittenAnswer | undefined>,
  { signal }: AnswerOptions,
): AsyncGenerator<DraftEvent, WrittenAnswer | undefined> {
  try {
    for (;;) {
      const { value, done } = await writing.next();
      if (done) return value;
      yield { type: 'delta', text: value };
    }
  } catch (error) {
    signal.throwIfAborted();
    if (settings.mode === 'generative') throw error;
    logger.warn({ err: error }, 'the chat model failed, so that the answer is extracted');
    return undefined;
  } finally {
    await writing.return(undefined);
  }
}

const notReady = ({ name, problem }: BotProfile) =>
  problem === null
    ? new Unavailable(`bot '${name}' can't answer yet: none of its documents has been indexed`, {
        retryAfter: 10,
      })
    : new Unavailable(`bot '${name}' can't answer: ${problem[0]?.toLowerCase()}${problem.slice(1)}`, {
        retryAfter: 60,
      });

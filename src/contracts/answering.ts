import type { Answer } from './document-index/questions.ts';

/**
 * Bots as answering machines, for every part that puts questions to them. Limits and usage of the caller's key are the
 * consumer's business: the final answer carries what the models used.
 */
export interface Answering {
  /**
   * Answers a question about a bot's documents: stages and deltas, then exactly one `answer`, which is the last event.
   * Throws `NotFound`, or `Unavailable` while the bot has no documents yet; after an abort, the signal's reason.
   * Leaving the loop early stops the model.
   */
  answer(bot: string, input: AnswerInput, options: AnswerOptions): AsyncGenerator<AnswerEvent, void>;
}

export interface AnswerInput {
  question: string;
  /** Earlier turns, oldest first. */
  history?: readonly { role: 'user' | 'assistant'; content: string }[];
}

export interface AnswerOptions {
  signal: AbortSignal;
  /** Under which the calls of models are logged. */
  requestId?: string | undefined;
  /** Keep the answer for feedback; only then it has an `id`. */
  keep?: boolean;
  /** `signed`: citations of stored files carry an expiring signature, so that a browser can open them without a key. */
  links?: 'plain' | 'signed';
}

export type AnswerStage = 'searching' | 'reading' | 'answering';

export type AnswerEvent =
  | { type: 'stage'; stage: AnswerStage }
  /** The next piece of text. The deltas may differ from the final answer, whose citations have been checked. */
  | { type: 'delta'; text: string }
  | { type: 'answer'; answer: Answer };

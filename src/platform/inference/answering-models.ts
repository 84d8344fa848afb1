import type { Model } from '../../contracts/openai/models.ts';
import type { TokenCounts } from '../../contracts/openai/read-usage.ts';
import type { Caller } from '../http/access.ts';

/** Names of models that begin like this are bots, never models of pods. */
export const botPrefix = 'bot/';

/** Models that answer chats without a pod of their own: bots. Another part offers them to the front. */
export interface AnsweringModels {
  /** Those that the caller may use. */
  list(caller: Caller): Promise<Model[]>;
  /** Starts an answer. Throws the problem to answer with, such as `NotFound`, before anything is sent. */
  answer(request: ModelRequest): Promise<ModelAnswer>;
}

export interface ModelRequest {
  /** As the caller named it, with the prefix. */
  model: string;
  /** The body of `POST /v1/chat/completions`, as it was sent. */
  body: Buffer;
  caller: Caller;
  requestId: string;
  /** Aborted when the caller leaves, or when the time is up. */
  signal: AbortSignal;
}

export interface ModelAnswer {
  contentType: string;
  /** The whole body in one piece, or the events of a stream. */
  body: AsyncIterable<string>;
  /** The answer is one piece of known length, which may still turn into a problem. */
  whole: boolean;
  /** What the models behind it have used; undefined until they have said so. */
  usage(): TokenCounts | undefined;
}

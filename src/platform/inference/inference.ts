import { ask, type ChatAnswer } from './calls/ask.ts';
import { type ChatEvent, type ChatInput, chat } from './calls/chat.ts';
import { type CompletionAnswer, type CompletionInput, complete } from './calls/complete.ts';
import { type CountInput, countTokens } from './calls/count-tokens.ts';
import { type EmbeddedBatch, type EmbedOptions, embed } from './calls/embed.ts';
import { listModels, type ServedModel } from './calls/list-models.ts';
import { type Ranking, type RerankInput, rerank } from './calls/rerank.ts';
import { type Speech, type SpeechInput, speak } from './calls/speak.ts';
import { type Transcript, type TranscriptionInput, transcribe } from './calls/transcribe.ts';
import type { CallOptions } from './sending/call-options.ts';
import type { Sender } from './sending/send-request.ts';

/**
 * The models, for the rest of the platform. Failures are problems (`contracts/problems.ts`); after an abort, the
 * signal's reason. Nothing that was cut off is returned as whole.
 */
export interface Inference {
  /** Streams an answer. Leaving the loop early stops the model. */
  chat(input: ChatInput, options: CallOptions): AsyncGenerator<ChatEvent, void>;
  /** The whole answer to a chat. */
  ask(input: ChatInput & { n?: 1 }, options: CallOptions): Promise<ChatAnswer>;
  complete(input: CompletionInput, options: CallOptions): Promise<CompletionAnswer>;
  /** Embeds any number of texts, in batches, in their order; it takes texts only as fast as results are taken. */
  embed(
    texts: Iterable<string> | AsyncIterable<string>,
    options: EmbedOptions,
  ): AsyncGenerator<EmbeddedBatch>;
  rerank(input: RerankInput, options: CallOptions): Promise<Ranking>;
  speak(input: SpeechInput, options: CallOptions): Promise<Speech>;
  transcribe(input: TranscriptionInput, options: CallOptions): Promise<Transcript>;
  models(options: CallOptions): Promise<ServedModel[]>;
  /** The length of a prompt in tokens. Fails where the server of the model has no tokenizer to ask. */
  countTokens(input: CountInput, options: CallOptions): Promise<number>;
}

/** Makes the client over a transport: the dispatcher's own where it runs in this process, HTTP where it does not. */
export function createInference(sender: Sender): Inference {
  return {
    chat: (input, options) => chat(sender, input, options),
    ask: (input, options) => ask(sender, input, options),
    complete: (input, options) => complete(sender, input, options),
    embed: (texts, options) => embed(sender, texts, options),
    rerank: (input, options) => rerank(sender, input, options),
    speak: (input, options) => speak(sender, input, options),
    transcribe: (input, options) => transcribe(sender, input, options),
    models: (options) => listModels(sender, options),
    countTokens: (input, options) => countTokens(sender, input, options),
  };
}

import { Problem } from '../../contracts/problems.ts';
import type { PlainMessage } from '../../platform/inference/calls/chat.ts';
import type { ServedModel } from '../../platform/inference/calls/list-models.ts';
import type { Sampling } from '../../platform/inference/calls/sampling.ts';
import { createInference, type Inference } from '../../platform/inference/inference.ts';
import { httpTransport } from '../../platform/inference/sending/http-transport.ts';
import { unreachableCode } from '../../platform/inference/sending/transport-problems.ts';
import { StartupError } from '../../platform/startup-error.ts';
import { PlatformUnreachable } from '../server/management-api.ts';

/** Sampling options that the user can set. */
export type AnswerOptions = Omit<Sampling, 'model' | 'n'>;

/** A piece of an answer, or why it ended. */
type AnswerEvent = { text: string } | { ending: string };

/** A client of an OpenAI-compatible server, with what a conversation needs. */
export class ModelServer {
  readonly url: string;
  readonly #inference: Inference;
  readonly #credentials: { authorization: string | undefined };

  constructor(url: string, key: string | undefined) {
    this.url = url.replace(/\/+$/, '').replace(/\/v1$/, '');
    this.#inference = createInference({ transport: httpTransport(this.url), ownKey: undefined });
    this.#credentials = { authorization: key ? `Bearer ${key}` : undefined };
  }

  async models(): Promise<ServedModel[]> {
    try {
      const signal = new AbortController().signal;
      return await this.#inference.models({ credentials: this.#credentials, signal });
    } catch (error) {
      throw this.#explained(error);
    }
  }

  /** The model to use by default: the first language model; a model without a task counts as one. */
  async defaultModel(): Promise<string | undefined> {
    const models = await this.models();
    return models.find(({ task, parent }) => (task ?? 'llm') === 'llm' && !parent)?.id;
  }

  /** Streams an answer. */
  async *answer(
    model: string,
    messages: PlainMessage[],
    options: AnswerOptions,
    signal: AbortSignal,
  ): AsyncGenerator<AnswerEvent> {
    const call = { credentials: this.#credentials, signal };
    try {
      for await (const event of this.#inference.chat({ ...options, model, messages }, call)) {
        if (event.type === 'text') yield { text: event.text };
        else if (event.type === 'finish') yield { ending: event.reason };
      }
    } catch (error) {
      throw this.#explained(error);
    }
  }

  #explained(error: unknown): unknown {
    if (!(error instanceof Problem)) return error;
    if (error.code !== unreachableCode) return new ServerRefused(error.message, { cause: error });
    return new PlatformUnreachable(this.url, 'it does not answer', error);
  }
}

/** The server rejected the request; the conversation can continue. */
export class ServerRefused extends StartupError {}

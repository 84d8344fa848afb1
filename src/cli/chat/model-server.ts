import { Problem } from '../../contracts/problems.ts';
import type { PlainMessage } from '../../platform/inference/calls/chat.ts';
import type { ServedModel } from '../../platform/inference/calls/list-models.ts';
import type { Sampling } from '../../platform/inference/calls/sampling.ts';
import { createInference, type Inference } from '../../platform/inference/inference.ts';
import { httpTransport } from '../../platform/inference/sending/http-transport.ts';
import { unreachableCode } from '../../platform/inference/sending/transport-problems.ts';
import { StartupError } from '../../platform/startup-error.ts';

/** How answers are generated, where the user says. */
export type AnswerOptions = Omit<Sampling, 'model' | 'n'>;

/** A server that speaks OpenAI's API, as far as a conversation needs it. */
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

  /** A model to talk to, where none is named: the first that chats, as far as the server says what each is for. */
  async defaultModel(): Promise<string | undefined> {
    const models = await this.models();
    return models.find(({ task, parent }) => (task ?? 'llm') === 'llm' && !parent)?.id;
  }

  /** The pieces of an answer as they come. */
  async *answer(
    model: string,
    messages: PlainMessage[],
    options: AnswerOptions,
    signal: AbortSignal,
  ): AsyncGenerator<string> {
    const call = { credentials: this.#credentials, signal };
    try {
      for await (const event of this.#inference.chat({ ...options, model, messages }, call)) {
        if (event.type === 'text') yield event.text;
      }
    } catch (error) {
      throw this.#explained(error);
    }
  }

  #explained(error: unknown): unknown {
    if (!(error instanceof Problem)) return error;
    if (error.code !== unreachableCode) return new ServerRefused(error.message, { cause: error });
    return new StartupError(
      `nothing answers at ${this.url}: start the platform with "npm start", or name a server with --url`,
      { cause: error },
    );
  }
}

/** The server said no; the conversation goes on. */
export class ServerRefused extends StartupError {}

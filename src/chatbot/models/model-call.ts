import type { AnswerOptions } from '../../contracts/answering.ts';
import { BadRequest, type Problem } from '../../contracts/problems.ts';
import type { PlainMessage } from '../../platform/inference/calls/chat.ts';
import type { Inference } from '../../platform/inference/inference.ts';
import type { CallOptions } from '../../platform/inference/sending/call-options.ts';
import type { ChatModel } from './chat-models.ts';
import type { UsedTokens } from './used-tokens.ts';

/** The platform's own calls, on behalf of one question. */
export const callOptions = ({ signal, requestId }: AnswerOptions) =>
  ({ credentials: 'platform', signal, requestId }) satisfies CallOptions;

/** The chat model, for one question. */
export class ModelCall {
  readonly model: ChatModel;
  readonly #inference: Pick<Inference, 'chat' | 'ask' | 'countTokens'>;
  readonly #options: CallOptions;
  readonly #used: UsedTokens;

  constructor(
    inference: Pick<Inference, 'chat' | 'ask' | 'countTokens'>,
    model: ChatModel,
    options: CallOptions,
    used: UsedTokens,
  ) {
    this.#inference = inference;
    this.model = model;
    this.#options = options;
    this.#used = used;
  }

  /** A short answer; undefined where the model fails, so that the caller does without it. */
  async ask(messages: PlainMessage[], most: number): Promise<string | undefined> {
    const input = { model: this.model.id, messages, temperature: 0, max_completion_tokens: most };
    try {
      const { text, usage } = await this.#inference.ask(input, this.#options);
      this.#used.add(usage);
      return text.replace(/^\s*<think>.*?<\/think>/su, '');
    } catch {
      this.#options.signal.throwIfAborted();
      return undefined;
    }
  }

  /** Streams the text of an answer. */
  async *write(messages: PlainMessage[], most: number): AsyncGenerator<string, void> {
    const input = { model: this.model.id, messages, temperature: 0, max_completion_tokens: most };
    for await (const event of this.#inference.chat(input, this.#options)) {
      if (event.type === 'text') yield event.text;
      else if (event.type === 'usage') this.#used.add(event.usage);
    }
  }

  /** The length of a prompt in tokens; undefined where the model's server can't tell. */
  async count(messages: PlainMessage[]): Promise<number | undefined> {
    try {
      return await this.#inference.countTokens({ model: this.model.id, messages }, this.#options);
    } catch {
      this.#options.signal.throwIfAborted();
      return undefined;
    }
  }
}

export const isTooLong = (error: unknown): error is Problem =>
  error instanceof BadRequest && error.code === 'context_length_exceeded';

import { answerLimit, beforeLoop } from '../../console/page/answer-limits.js';
import { Problem } from '../../contracts/problems.ts';
import type { PlainMessage } from '../../platform/inference/calls/chat.ts';
import { type AnswerOptions, type ModelServer, ServerRefused } from './model-server.ts';
import { runSlashCommand, type SlashCommand } from './slash-command.ts';

const help = `/adapter [name]  use an adapter of the model, or "none"; without a name, list adapters
/model [name]    switch to another model; without a name, list models
/system [text]   set the system message; without text, show it
/clear           clear the conversation
/bye             quit (or press Ctrl-D); Ctrl-C stops an answer
"""              start and end a multi-line message`;

/** A piece of an answer, or a remark on how it ended. */
type Said = { text: string } | { note: string };

/** The messages so far, the model, and the commands that change them. Independent of the terminal. */
export class Conversation {
  readonly #server: ModelServer;
  readonly #options: AnswerOptions;
  #base: string;
  #adapter: string | undefined;
  #system: string | undefined;
  #messages: PlainMessage[] = [];
  readonly #commands = new Map<string, SlashCommand>([
    ['clear', () => this.#clear()],
    ['system', (text) => this.#setSystem(text)],
    ['adapter', (name) => this.#chooseAdapter(name)],
    ['model', (name) => this.#chooseModel(name)],
  ]);

  constructor(server: ModelServer, model: string, system: string | undefined, options: AnswerOptions) {
    this.#server = server;
    this.#base = model;
    this.#system = system;
    this.#options = options;
  }

  get model(): string {
    return this.#adapter ?? this.#base;
  }

  /** Sends a question and yields the answer in pieces. A partial answer is kept; a question without any is dropped. */
  async *ask(question: string, signal: AbortSignal): AsyncGenerator<Said> {
    const asked: PlainMessage = { role: 'user', content: question };
    const system: PlainMessage[] = this.#system ? [{ role: 'system', content: this.#system }] : [];
    let said = '';
    try {
      const messages = [...system, ...this.#messages, asked];
      for await (const event of this.#answer(messages, signal)) {
        if ('ending' in event) {
          if (event.ending === 'length') yield { note: this.#cutOff() };
          continue;
        }
        said += event.text;
        yield event;
        const kept = beforeLoop(said);
        if (kept === undefined) continue;
        said = kept;
        yield { note: 'stopped, because the model was repeating itself' };
        return;
      }
    } finally {
      if (said !== '') this.#messages.push(asked, { role: 'assistant', content: said });
    }
  }

  async *#answer(messages: PlainMessage[], signal: AbortSignal) {
    const { max_tokens = answerLimit } = this.#options;
    try {
      yield* this.#server.answer(this.model, messages, { ...this.#options, max_tokens }, signal);
    } catch (error) {
      // Near the end of the context there may be room for a shorter answer.
      if (this.#options.max_tokens !== undefined || !isTooLong(error)) throw error;
      yield* this.#server.answer(this.model, messages, this.#options, signal);
    }
  }

  #cutOff(): string {
    const { max_tokens } = this.#options;
    return max_tokens === undefined
      ? 'the answer was cut off at its limit; --max-tokens sets another one'
      : `the answer was cut off at its limit of ${max_tokens} tokens`;
  }

  command(line: string): Promise<string | undefined> {
    return runSlashCommand(line, this.#commands, help);
  }

  #clear(): string {
    this.#messages = [];
    return 'Conversation cleared.';
  }

  #setSystem(text: string): string {
    if (text !== '') this.#system = text;
    return this.#system ? `System: ${this.#system}` : 'No system message is set.';
  }

  async #chooseAdapter(name: string): Promise<string> {
    const adapters = (await this.#server.models())
      .filter((model) => model.parent === this.#base)
      .map(({ id }) => id);
    if (name === '') {
      return adapters.length === 0 ? `${this.#base} has no adapters.` : list(adapters, this.#adapter);
    }
    if (name === 'none') {
      this.#adapter = undefined;
      return `Using ${this.#base} without an adapter.`;
    }
    if (!adapters.includes(name)) throw new ServerRefused(`${this.#base} has no adapter '${name}'.`);
    this.#adapter = name;
    return `Using ${this.#base} with adapter ${name}.`;
  }

  async #chooseModel(name: string): Promise<string> {
    const models = await this.#server.models();
    if (name === '')
      return list(
        models.map(({ id }) => id),
        this.model,
      );
    const found = models.find(({ id }) => id === name);
    if (!found) throw new ServerRefused(`Model '${name}' is not served.`);
    this.#base = found.parent ?? found.id;
    this.#adapter = found.parent ? found.id : undefined;
    return `Using ${name}.`;
  }
}

const isTooLong = (error: unknown) =>
  error instanceof ServerRefused &&
  error.cause instanceof Problem &&
  error.cause.code === 'context_length_exceeded';

const list = (names: string[], chosen: string | undefined) =>
  names.map((name) => `${name === chosen ? '*' : ' '} ${name}`).join('\n');

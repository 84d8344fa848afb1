import type { PlainMessage } from '../../platform/inference/calls/chat.ts';
import { type AnswerOptions, type ModelServer, ServerRefused } from './model-server.ts';

const help = `/adapter [name]  answer with an adapter of the model; alone: list them; "none": without
/model [name]    talk to another model; alone: list them
/system [text]   set the system message; alone: show it
/clear           forget the conversation
/bye             leave (so does Ctrl-D); Ctrl-C stops an answer
"""              begins and ends a message of several lines`;

/** What was said so far, to whom, and the commands that change it. It knows no terminal. */
export class Conversation {
  readonly #server: ModelServer;
  readonly #options: AnswerOptions;
  #base: string;
  #adapter: string | undefined;
  #system: string | undefined;
  #messages: PlainMessage[] = [];

  constructor(server: ModelServer, model: string, system: string | undefined, options: AnswerOptions) {
    this.#server = server;
    this.#base = model;
    this.#system = system;
    this.#options = options;
  }

  get model(): string {
    return this.#adapter ?? this.#base;
  }

  /** Asks, and gives the pieces of the answer. What was said before a stop is kept; a question that failed is not. */
  async *ask(question: string, signal: AbortSignal): AsyncGenerator<string> {
    const asked: PlainMessage = { role: 'user', content: question };
    const system: PlainMessage[] = this.#system ? [{ role: 'system', content: this.#system }] : [];
    let said = '';
    try {
      const messages = [...system, ...this.#messages, asked];
      for await (const text of this.#server.answer(this.model, messages, this.#options, signal)) {
        said += text;
        yield text;
      }
    } finally {
      if (said !== '') this.#messages.push(asked, { role: 'assistant', content: said });
    }
  }

  /** Carries out `/…` and says what came of it; undefined to leave. */
  async command(line: string): Promise<string | undefined> {
    const [, name = '', rest = ''] = /^\/(\S*)\s*(.*)$/s.exec(line) ?? [];
    switch (name) {
      case 'bye':
      case 'exit':
      case 'quit':
        return undefined;
      case 'clear':
        this.#messages = [];
        return 'The conversation is forgotten.';
      case 'system':
        if (rest !== '') this.#system = rest;
        return this.#system ? `System: ${this.#system}` : 'There is no system message.';
      case 'adapter':
        return this.#chooseAdapter(rest);
      case 'model':
        return this.#chooseModel(rest);
      case 'help':
      case '?':
        return help;
      default:
        return `There is no command /${name}. /help shows what there is.`;
    }
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
      return `Answers come from ${this.#base} alone.`;
    }
    if (!adapters.includes(name)) throw new ServerRefused(`${this.#base} has no adapter '${name}'.`);
    this.#adapter = name;
    return `Answers come from ${this.#base} with ${name}.`;
  }

  async #chooseModel(name: string): Promise<string> {
    const models = await this.#server.models();
    if (name === '')
      return list(
        models.map(({ id }) => id),
        this.model,
      );
    const found = models.find(({ id }) => id === name);
    if (!found) throw new ServerRefused(`There is no model '${name}'.`);
    this.#base = found.parent ?? found.id;
    this.#adapter = found.parent ? found.id : undefined;
    return `Answers come from ${name}.`;
  }
}

const list = (names: string[], chosen: string | undefined) =>
  names.map((name) => `${name === chosen ? '*' : ' '} ${name}`).join('\n');

import { JsonExtent } from './json-extent.ts';

export type CallEvent = { kind: 'name'; name: string } | { kind: 'arguments'; text: string };

/** Parses one `{"name": …, "arguments": {…}}` incrementally, and emits the arguments before they are complete. */
export class CallReader {
  readonly #whole = new JsonExtent();
  #arguments: JsonExtent | undefined;
  #text = '';
  #unread = '';

  get done(): boolean {
    return this.#whole.done;
  }

  /** True once a name was emitted; before that, the text may turn out not to be a call. */
  get begun(): boolean {
    return this.#arguments !== undefined;
  }

  get text(): string {
    return this.#text;
  }

  /** Consumes what belongs to the call and returns the rest of the piece. */
  push(piece: string): { events: CallEvent[]; rest: string } {
    const length = this.#whole.push(piece);
    const mine = piece.slice(0, length);
    this.#text += mine;
    this.#unread += mine;
    return { events: this.#read(), rest: piece.slice(length) };
  }

  #read(): CallEvent[] {
    if (this.#arguments) return this.#emitArguments(this.#arguments);
    const head =
      /^\s*\{\s*"name"\s*:\s*("(?:[^"\\]|\\.)*")\s*,\s*"(?:arguments|parameters)"\s*:\s*(?=\{)/.exec(
        this.#unread,
      );
    if (head) {
      this.#unread = this.#unread.slice(head[0].length);
      this.#arguments = new JsonExtent();
      return [{ kind: 'name', name: JSON.parse(head[1] as string) }, ...this.#emitArguments(this.#arguments)];
    }
    return this.done ? this.#readWhole() : [];
  }

  #emitArguments(extent: JsonExtent): CallEvent[] {
    const text = this.#unread.slice(0, extent.push(this.#unread));
    this.#unread = '';
    return text === '' ? [] : [{ kind: 'arguments', text }];
  }

  /** Handles members in another order, or arguments written as a string. */
  #readWhole(): CallEvent[] {
    try {
      const call = JSON.parse(this.#text);
      const given = call.arguments ?? call.parameters ?? {};
      if (typeof call.name !== 'string') return [];
      this.#arguments = new JsonExtent();
      const text = typeof given === 'string' ? given : JSON.stringify(given);
      return [
        { kind: 'name', name: call.name },
        { kind: 'arguments', text },
      ];
    } catch {
      return [];
    }
  }
}

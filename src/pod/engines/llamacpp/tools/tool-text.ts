import type { GenerationEvent, TokenLogprob } from '../../../engine.ts';
import { CallReader } from './call-reader.ts';
import type { ToolSyntax } from './tool-syntax.ts';

/** Llama 3 may write this before a call. */
export const pythonTag = '<|python_tag|>';

/**
 * State of the parser: at the start of the answer, which may be a call without a marker; in prose; between a marker
 * and its JSON; in the JSON; after it, where a closing marker, a comma or another call may follow.
 */
type State = 'start' | 'prose' | 'opened' | 'call' | 'after';

export interface ToolRules {
  /** The tools that may be called; a call of any other tool is emitted as text. Undefined allows all. */
  allowed?: ReadonlySet<string>;
  /** Maximum number of calls; the answer is done after the last one. */
  most?: number;
}

export class ToolText {
  readonly #rules: ToolRules;
  readonly #opening: string;
  readonly #closing: string;
  readonly #list: boolean;
  calls = 0;
  #state: State;
  #held = '';
  #call = new CallReader();
  #logprobs: TokenLogprob[] = [];
  #out: GenerationEvent[] = [];

  #rejected = false;

  constructor(syntax: ToolSyntax, rules: ToolRules = {}) {
    this.#rules = rules;
    this.#opening = syntax.opening.trim();
    this.#closing = syntax.closing.trim();
    this.#list = syntax.list;
    this.#state = this.#opening === '' ? 'start' : 'prose';
  }

  /** True once the maximum number of calls is complete. */
  get done(): boolean {
    return this.complete && this.calls >= (this.#rules.most ?? Number.POSITIVE_INFINITY);
  }

  /** False while the last call is incomplete. */
  get complete(): boolean {
    return this.#state !== 'call';
  }

  push(text: string, logprobs: TokenLogprob[]): GenerationEvent[] {
    if (this.done) return [];
    this.#held += text;
    this.#logprobs.push(...logprobs);
    while (this.#held !== '' && !this.done && this.#step()) {}
    return this.#takeEvents();
  }

  /** Emits the held text. If the answer was truncated, an incomplete call or marker is dropped. */
  flush(truncated: boolean): GenerationEvent[] {
    const isText = !this.#call.begun || this.#rejected;
    if (this.done) this.#held = '';
    else if (this.#state === 'call') this.#emitText(isText && !truncated ? this.#call.text : '');
    else if (!truncated || !this.#mayBeMarker())
      this.#emitText(this.calls > 0 ? this.#held.trim() : this.#held);
    this.#held = '';
    return this.#takeEvents();
  }

  #mayBeMarker(): boolean {
    if (this.#state === 'opened') return true;
    const end = this.#held.trimStart();
    return end !== '' && [this.#opening, this.#closing, pythonTag].some((mark) => mark.startsWith(end));
  }

  /** Parses as much as possible in the current state; returns false if more text is needed. */
  #step(): boolean {
    if (this.#state === 'call') return this.#readCall();
    if (this.#state === 'prose') return this.#readProse();
    this.#held = this.#held.trimStart();
    if (this.#held === '') return false;
    if (this.#state === 'start') return this.#readStart();
    return this.#state === 'opened' ? this.#readOpened() : this.#readAfter();
  }

  #readStart(): boolean {
    if (this.#held.startsWith('{')) return this.#begin();
    if (this.#consume(pythonTag)) return true;
    if (pythonTag.startsWith(this.#held)) return false;
    this.#state = 'prose';
    return true;
  }

  #readProse(): boolean {
    const at = this.#opening === '' ? -1 : this.#held.indexOf(this.#opening);
    if (at >= 0) {
      const before = this.#held.slice(0, at);
      if (before.trim() !== '') this.#emitText(before);
      this.#held = this.#held.slice(at + this.#opening.length);
      this.#state = 'opened';
      return true;
    }
    const ready = this.#held.length - this.#waiting();
    this.#emitText(this.#held.slice(0, ready));
    this.#held = this.#held.slice(ready);
    return false;
  }

  #readOpened(): boolean {
    if (this.#held.startsWith('{')) return this.#begin();
    if (this.#list && this.#consume('[')) return true;
    this.#state = 'prose';
    return true;
  }

  #readCall(): boolean {
    const { events, rest } = this.#call.push(this.#held);
    this.#held = rest;
    for (const event of events) {
      if (event.kind === 'name') this.#rejected = this.#rules.allowed?.has(event.name) === false;
      if (this.#rejected) continue;
      if (event.kind === 'name') this.#out.push({ kind: 'tool-call', index: this.calls++, name: event.name });
      else this.#out.push({ kind: 'tool-arguments', index: this.calls - 1, text: event.text });
    }
    if (!this.#call.done) return false;
    if (!this.#call.begun || this.#rejected) this.#emitText(this.#call.text);
    this.#state = 'after';
    return true;
  }

  #readAfter(): boolean {
    if (this.#closing !== '' && this.#consume(this.#closing)) return true;
    if (this.#list && this.#consume(']')) return true;
    const another = this.#list ? ',' : ';';
    if (this.#consume(this.#opening === '' || this.#list ? another : this.#opening)) {
      this.#state = 'opened';
      return true;
    }
    if ([this.#closing, this.#opening].some((mark) => mark.startsWith(this.#held))) return false;
    this.#state = 'prose';
    return true;
  }

  #begin(): boolean {
    this.#call = new CallReader();
    this.#rejected = false;
    this.#state = 'call';
    return true;
  }

  #consume(mark: string): boolean {
    if (mark === '' || !this.#held.startsWith(mark)) return false;
    this.#held = this.#held.slice(mark.length);
    return true;
  }

  /** Length of the suffix of the held text that may become a marker, including the space before it. */
  #waiting(): number {
    if (this.#opening === '') return 0;
    for (let length = Math.min(this.#held.length, this.#opening.length); length > 0; length--)
      if (this.#opening.startsWith(this.#held.slice(-length))) return length;
    return this.#held.trim() === '' ? this.#held.length : 0;
  }

  #emitText(text: string): void {
    if (text === '') return;
    this.#out.push({
      kind: 'text',
      text,
      ...(this.#logprobs.length > 0 ? { logprobs: this.#logprobs } : {}),
    });
    this.#logprobs = [];
  }

  #takeEvents(): GenerationEvent[] {
    const events = this.#out;
    this.#out = [];
    return events;
  }
}

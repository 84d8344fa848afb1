import type { GenerationEvent, TokenLogprob } from '../../../engine.ts';
import { CallReader } from './call-reader.ts';
import type { ToolSyntax } from './tool-syntax.ts';

/** Stands before a call in Llama 3's answers, or does not. */
export const pythonTag = '<|python_tag|>';

/**
 * Where the reader is: at an answer's beginning, which may be a call without a marker; in prose; between a marker
 * and its JSON; in the JSON; after it, where a closing marker, a comma or another call may follow.
 */
type Place = 'start' | 'prose' | 'opened' | 'call' | 'after';

export interface ToolRules {
  /** The tools that may be called; a call of another is passed on as text. Any, where undefined. */
  allowed?: ReadonlySet<string>;
  /** Calls that are passed on; the answer is done after the last of them. */
  most?: number;
}

export class ToolText {
  readonly #rules: ToolRules;
  readonly #opening: string;
  readonly #closing: string;
  readonly #list: boolean;
  calls = 0;
  #place: Place;
  #held = '';
  #call = new CallReader();
  #logprobs: TokenLogprob[] = [];
  #out: GenerationEvent[] = [];

  #refused = false;

  constructor(syntax: ToolSyntax, rules: ToolRules = {}) {
    this.#rules = rules;
    this.#opening = syntax.opening.trim();
    this.#closing = syntax.closing.trim();
    this.#list = syntax.list;
    this.#place = this.#opening === '' ? 'start' : 'prose';
  }

  /** True once as many calls as are passed on are complete. */
  get done(): boolean {
    return this.complete && this.calls >= (this.#rules.most ?? Number.POSITIVE_INFINITY);
  }

  /** False while the last call is not written to its end. */
  get complete(): boolean {
    return this.#place !== 'call';
  }

  push(text: string, logprobs: TokenLogprob[]): GenerationEvent[] {
    if (this.done) return [];
    this.#held += text;
    this.#logprobs.push(...logprobs);
    while (this.#held !== '' && !this.done && this.#step()) {}
    return this.#taken();
  }

  /** What is held back; of an answer that was cut off, not the beginning of a call or of a marker. */
  flush(truncated: boolean): GenerationEvent[] {
    const isText = !this.#call.begun || this.#refused;
    if (this.done) this.#held = '';
    else if (this.#place === 'call') this.#say(isText && !truncated ? this.#call.text : '');
    else if (!truncated || !this.#mayBeMarker()) this.#say(this.calls > 0 ? this.#held.trim() : this.#held);
    this.#held = '';
    return this.#taken();
  }

  #mayBeMarker(): boolean {
    if (this.#place === 'opened') return true;
    const end = this.#held.trimStart();
    return end !== '' && [this.#opening, this.#closing, pythonTag].some((mark) => mark.startsWith(end));
  }

  /** Reads what it can at this place; false where more text is needed. */
  #step(): boolean {
    if (this.#place === 'call') return this.#readCall();
    if (this.#place === 'prose') return this.#readProse();
    this.#held = this.#held.trimStart();
    if (this.#held === '') return false;
    if (this.#place === 'start') return this.#readStart();
    return this.#place === 'opened' ? this.#readOpened() : this.#readAfter();
  }

  #readStart(): boolean {
    if (this.#held.startsWith('{')) return this.#begin();
    if (this.#consume(pythonTag)) return true;
    if (pythonTag.startsWith(this.#held)) return false;
    this.#place = 'prose';
    return true;
  }

  #readProse(): boolean {
    const at = this.#opening === '' ? -1 : this.#held.indexOf(this.#opening);
    if (at >= 0) {
      const before = this.#held.slice(0, at);
      if (before.trim() !== '') this.#say(before);
      this.#held = this.#held.slice(at + this.#opening.length);
      this.#place = 'opened';
      return true;
    }
    const ready = this.#held.length - this.#waiting();
    this.#say(this.#held.slice(0, ready));
    this.#held = this.#held.slice(ready);
    return false;
  }

  #readOpened(): boolean {
    if (this.#held.startsWith('{')) return this.#begin();
    if (this.#list && this.#consume('[')) return true;
    this.#place = 'prose';
    return true;
  }

  #readCall(): boolean {
    const { events, rest } = this.#call.push(this.#held);
    this.#held = rest;
    for (const event of events) {
      if (event.kind === 'name') this.#refused = this.#rules.allowed?.has(event.name) === false;
      if (this.#refused) continue;
      if (event.kind === 'name') this.#out.push({ kind: 'tool-call', index: this.calls++, name: event.name });
      else this.#out.push({ kind: 'tool-arguments', index: this.calls - 1, text: event.text });
    }
    if (!this.#call.done) return false;
    if (!this.#call.begun || this.#refused) this.#say(this.#call.text);
    this.#place = 'after';
    return true;
  }

  #readAfter(): boolean {
    if (this.#closing !== '' && this.#consume(this.#closing)) return true;
    if (this.#list && this.#consume(']')) return true;
    const another = this.#list ? ',' : ';';
    if (this.#consume(this.#opening === '' || this.#list ? another : this.#opening)) {
      this.#place = 'opened';
      return true;
    }
    if ([this.#closing, this.#opening].some((mark) => mark.startsWith(this.#held))) return false;
    this.#place = 'prose';
    return true;
  }

  #begin(): boolean {
    this.#call = new CallReader();
    this.#refused = false;
    this.#place = 'call';
    return true;
  }

  #consume(mark: string): boolean {
    if (mark === '' || !this.#held.startsWith(mark)) return false;
    this.#held = this.#held.slice(mark.length);
    return true;
  }

  /** Length of the end of the held text that may become a marker, with the space before it. */
  #waiting(): number {
    if (this.#opening === '') return 0;
    for (let length = Math.min(this.#held.length, this.#opening.length); length > 0; length--)
      if (this.#opening.startsWith(this.#held.slice(-length))) return length;
    return this.#held.trim() === '' ? this.#held.length : 0;
  }

  #say(text: string): void {
    if (text === '') return;
    this.#out.push({
      kind: 'text',
      text,
      ...(this.#logprobs.length > 0 ? { logprobs: this.#logprobs } : {}),
    });
    this.#logprobs = [];
  }

  #taken(): GenerationEvent[] {
    const events = this.#out;
    this.#out = [];
    return events;
  }
}

import type { GenerationEvent, TokenLogprob } from '../../../engine.ts';
import type { TextSink } from '../output/text-sink.ts';
import type { TokenBytes } from '../output/token-bytes.ts';
import { CallReader } from './call-reader.ts';
import type { ToolSyntax } from './tool-syntax.ts';

/** Tells calls from prose in an answer's text, as it arrives. */
export function toolSink(tokenBytes: TokenBytes, syntax: ToolSyntax): TextSink {
  const reader = new ToolText(syntax);
  const markers = [syntax.opening.trim(), syntax.closing.trim(), '<|python_tag|>'].filter(Boolean);
  return {
    // A marker may be a control token, which plain text leaves out.
    bytesOf: (token) => {
      const shown = tokenBytes.of(token);
      if (shown.length > 0 || !tokenBytes.isControl(token)) return shown;
      const name = tokenBytes.named(token);
      return markers.includes(new TextDecoder().decode(name)) ? name : shown;
    },
    push: (text, logprobs) => reader.push(text, logprobs),
    flush: () => reader.flush(),
    ending: (reason) => ({ reason: reason === 'stop' && reader.calls > 0 ? 'tool_calls' : reason }),
  };
}

class ToolText {
  readonly #opening: string;
  readonly #closing: string;
  readonly #list: boolean;
  calls = 0;
  #held = '';
  #logprobs: TokenLogprob[] = [];
  #call: CallReader | undefined;
  #spoken = false;

  constructor(syntax: ToolSyntax) {
    this.#opening = syntax.opening.trim();
    this.#closing = syntax.closing.trim();
    this.#list = syntax.list;
  }

  push(text: string, logprobs: TokenLogprob[]): GenerationEvent[] {
    this.#held += text;
    this.#logprobs.push(...logprobs);
    const events: GenerationEvent[] = [];
    for (let before = -1; before !== this.#held.length; ) {
      before = this.#held.length;
      events.push(...(this.#call ? this.#readCall(this.#call) : this.#readProse()));
    }
    return events;
  }

  flush(): GenerationEvent[] {
    const unfinished = this.#call && !this.#call.begun ? this.#call.text : '';
    const rest = unfinished + this.#held;
    this.#held = '';
    return this.#say(this.calls > 0 ? rest.trim() : rest);
  }

  #readCall(call: CallReader): GenerationEvent[] {
    const { events, rest } = call.push(this.#held);
    this.#held = rest;
    const index = this.calls - (call.begun && !events.some(({ kind }) => kind === 'name') ? 1 : 0);
    const out = events.map((event): GenerationEvent => {
      if (event.kind === 'name') return { kind: 'tool-call', index, name: event.name };
      return { kind: 'tool-arguments', index, text: event.text };
    });
    this.calls += events.filter(({ kind }) => kind === 'name').length;
    if (!call.done) return out;
    this.#call = undefined;
    return call.begun ? out : this.#say(call.text);
  }

  #readProse(): GenerationEvent[] {
    const start = this.#findCall();
    if (start !== undefined) {
      const prose = this.#held.slice(0, start.at);
      this.#held = this.#held.slice(start.at + start.length);
      this.#call = new CallReader();
      return this.#say(prose.trim() === '' ? '' : prose);
    }
    if (this.calls > 0) this.#held = this.#held.replace(this.#between(), '');
    const keep = this.#mayBecomeCall();
    const prose = this.#held.slice(0, this.#held.length - keep);
    if (prose.trim() === '' && !this.#spoken) return [];
    this.#held = this.#held.slice(prose.length);
    return this.#say(prose);
  }

  /** Where the JSON of a call begins: after the marker, or at the answer's very start where there is none. */
  #findCall(): { at: number; length: number } | undefined {
    if (this.#opening !== '') {
      const at = this.#held.indexOf(this.#opening);
      if (at >= 0)
        return {
          at,
          length:
            this.#opening.length + (this.#list ? bracketAfter(this.#held, at + this.#opening.length) : 0),
        };
      if (this.#list && this.calls > 0) {
        const next = /^\s*,\s*(?=\{)/.exec(this.#held);
        if (next) return { at: 0, length: next[0].length };
      }
      return undefined;
    }
    const alone = /^\s*(<\|python_tag\|>)?\s*(?=\{)/.exec(this.#held);
    return alone && !this.#spoken ? { at: 0, length: alone[0].length } : undefined;
  }

  /** What stands between and after calls and is no prose. */
  #between(): RegExp {
    if (this.#list) return /^\s*\]?\s*/;
    return this.#closing === ''
      ? /^\s*;?\s*/
      : new RegExp(`^\\s*(${this.#closing.replace('/', '\\/')})?\\s*`);
  }

  /** Length of the end of the held text that must wait for more. */
  #mayBecomeCall(): number {
    if (this.#opening === '' && !this.#spoken && /^\s*(<[|a-z_]*)?$/.test(this.#held))
      return this.#held.length;
    const marks = [this.#opening, ...(this.calls > 0 ? [this.#closing] : [])].filter(Boolean);
    for (let length = Math.min(this.#held.length, 16); length > 0; length--) {
      const end = this.#held.slice(-length);
      if (marks.some((mark) => mark.startsWith(end))) return length;
    }
    return 0;
  }

  #say(text: string): GenerationEvent[] {
    if (text === '') return [];
    this.#spoken = true;
    const logprobs = this.#logprobs;
    this.#logprobs = [];
    return [{ kind: 'text', text, ...(logprobs.length > 0 ? { logprobs } : {}) }];
  }
}

/** Mistral's list opens with a bracket, which is not part of the first call. */
function bracketAfter(text: string, from: number): number {
  return /^\s*\[\s*/.exec(text.slice(from))?.[0].length ?? 0;
}

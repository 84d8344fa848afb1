import type { Draft } from '../../drafts/draft.ts';
import { RtfBody } from './rtf-body.ts';
import { RtfFonts } from './rtf-fonts.ts';
import { isMargin, RtfMargins } from './rtf-margins.ts';
import { destinationOf, isKnownExtension, type RtfState, specials } from './rtf-state.ts';
import { RtfStyles } from './rtf-styles.ts';
import type { RtfToken } from './rtf-tokens.ts';

const deepest = 2_000;
const first: RtfState = { destination: 'body', font: 0, skipAfterUnicode: 1, hidden: false };

/** Turns tokens into paragraphs. Text comes as bytes in the code page of its font, or as `\u` with a substitute. */
export class RtfReader {
  readonly #fonts = new RtfFonts();
  readonly #styles = new RtfStyles();
  readonly #margins = new RtfMargins();
  readonly #body: RtfBody;
  #states: RtfState[] = [];
  #state: RtfState = { ...first };
  #bytes: number[] = [];
  #toSkip = 0;
  #starred = false;
  #instruction = '';

  constructor(hasPages: boolean) {
    this.#body = new RtfBody(this.#styles, hasPages);
  }

  token(token: RtfToken): void {
    if (token.type === 'byte') {
      this.#byte(token.byte);
      return;
    }
    if (token.type !== 'word' || (token.word !== 'u' && token.word !== '*')) this.#decode();
    if (token.type === 'open') {
      if (this.#states.length < deepest) this.#states.push(this.#state);
      this.#state = { ...this.#state };
    } else if (token.type === 'close') this.#close();
    else this.#word(token.word, token.value);
  }

  end(): Draft[] {
    this.#decode();
    return this.#margins.around(this.#body.end());
  }

  #close(): void {
    const ended = this.#state;
    this.#state = this.#states.pop() ?? { ...first };
    if (ended.destination === this.#state.destination) return;
    if (isMargin(ended.destination)) this.#margins.end(ended.destination);
    if (ended.destination === 'field instruction') {
      this.#state.url = /HYPERLINK\s+"([^"]+)"/i.exec(this.#instruction)?.[1];
      this.#instruction = '';
    }
  }

  #byte(byte: number): void {
    if (this.#toSkip > 0) {
      this.#toSkip--;
      return;
    }
    this.#bytes.push(byte);
  }

  #decode(): void {
    if (this.#bytes.length === 0) return;
    const bytes = this.#bytes;
    this.#bytes = [];
    this.#add(this.#fonts.decode(bytes, this.#state.font));
  }

  #add(text: string): void {
    const { destination, hidden } = this.#state;
    if (destination === 'skip' || hidden || destination === 'fonts') return;
    if (destination === 'styles') this.#styles.text(text);
    else if (destination === 'field instruction') this.#instruction += text;
    else if (isMargin(destination)) this.#margins.textOf(destination).add(text, this.#state);
    else this.#body.text.add(text, this.#state);
  }

  #word(word: string, value: number | undefined): void {
    if (word === 'u') {
      this.#unicode(value ?? 0);
      return;
    }
    this.#toSkip = 0;
    if (word === '*') {
      this.#starred = true;
      return;
    }
    const starred = this.#starred;
    this.#starred = false;
    const destination = destinationOf(word);
    if (destination && this.#state.destination !== 'skip') this.#state.destination = destination;
    else if (starred && !isKnownExtension(word)) this.#state.destination = 'skip';
    const special = specials.get(word);
    if (special !== undefined) {
      this.#add(special);
      return;
    }
    if (this.#fonts.word(word, value, this.#state) || this.#state.destination === 'skip') return;
    this.#runWord(word, value);
    if (this.#state.destination === 'styles') this.#styles.word(word, value);
    else if (this.#state.destination === 'body') this.#body.word(word, value);
  }

  #unicode(value: number): void {
    this.#decode();
    this.#add(String.fromCharCode(value < 0 ? value + 65_536 : value));
    this.#toSkip = this.#state.skipAfterUnicode;
  }

  #runWord(word: string, value: number | undefined): void {
    const state = this.#state;
    const on = value !== 0;
    if (word === 'f') state.font = value ?? 0;
    else if (word === 'uc') state.skipAfterUnicode = Math.max(0, Math.min(value ?? 1, 10));
    else if (word === 'b') state.bold = on;
    else if (word === 'i') state.italic = on;
    else if (word === 'ul') state.underline = on;
    else if (word === 'ulnone') state.underline = false;
    else if (word === 'v') state.hidden = on;
    else if (word === 'plain') {
      const plain = { bold: false, italic: false, underline: false, hidden: false };
      Object.assign(state, plain, { font: this.#fonts.default });
    }
  }
}

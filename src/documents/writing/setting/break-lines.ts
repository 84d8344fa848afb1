import type { TextStyle } from '../file/page-canvas.ts';
import type { Measure } from './measure.ts';

export interface StyledRun {
  text: string;
  style: TextStyle;
}

export interface Fragment {
  text: string;
  style: TextStyle;
  left: number;
  width: number;
}

export interface Line {
  fragments: Fragment[];
  width: number;
  /** The largest size on the line. */
  size: number;
}

interface Part {
  text: string;
  style: TextStyle;
  width: number;
}

/** Scripts without spaces between words. */
const dense = /[\u0e00-\u0e7f\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uff60\u{20000}-\u{3ffff}]/u;
const denseTokens =
  /[ \n]|[\u0e00-\u0e7f\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uff60\u{20000}-\u{3ffff}]|[^ \n\u0e00-\u0e7f\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uff60\u{20000}-\u{3ffff}]+/gu;

/** Spaces, line feeds and words. */
export const tokensOf = (text: string): string[] =>
  text.match(dense.test(text) ? denseTokens : /[ \n]|[^ \n]+/g) ?? [];

/** Breaks text into lines of at most this width: at spaces, and within words that are wider. */
export function breakLines(runs: readonly StyledRun[], width: number, measure: Measure): Line[] {
  const lines = new LineBreaker(width, measure);
  for (const { text, style } of runs) {
    const isDense = dense.test(text);
    for (const token of tokensOf(text)) {
      if (token === '\n') lines.end();
      else if (token === ' ') lines.space();
      else lines.add({ text: token.replaceAll('\u00a0', ' '), style, width: measure(token, style) }, isDense);
    }
  }
  return lines.finish();
}

class LineBreaker {
  readonly #lines: Line[] = [];
  readonly #width: number;
  readonly #measure: Measure;
  #line: Line = emptyLine();
  #word: Part[] = [];
  #hasSpace = false;

  constructor(width: number, measure: Measure) {
    this.#width = width;
    this.#measure = measure;
  }

  space(): void {
    this.#finishWord();
    this.#hasSpace = this.#line.fragments.length > 0;
  }

  /** A part of a word; with `alone`, it may be parted from its neighbours. */
  add(part: Part, alone: boolean): void {
    if (alone) this.#finishWord();
    this.#word.push(part);
  }

  end(): void {
    this.#finishWord();
    this.#push();
  }

  finish(): Line[] {
    this.#finishWord();
    if (this.#line.fragments.length > 0) this.#push();
    return this.#lines;
  }

  #push(): void {
    this.#lines.push(this.#line);
    this.#line = emptyLine();
    this.#hasSpace = false;
  }

  #finishWord(): void {
    const word = this.#word;
    if (word.length === 0) return;
    this.#word = [];
    const width = word.reduce((sum, part) => sum + part.width, 0);
    const space = this.#hasSpace ? this.#measure(' ', this.#line.fragments.at(-1)?.style ?? noStyle) : 0;
    if (this.#line.fragments.length > 0 && this.#line.width + space + width > this.#width + 0.01)
      this.#push();
    for (const part of width > this.#width ? this.#letters(word) : word) {
      if (this.#line.fragments.length > 0 && this.#line.width + part.width > this.#width + 0.01) this.#push();
      this.#append(part);
    }
  }

  *#letters(word: readonly Part[]): Generator<Part> {
    for (const { text, style } of word)
      for (const letter of text) yield { text: letter, style, width: this.#measure(letter, style) };
  }

  #append({ text, style, width }: Part): void {
    const line = this.#line;
    const last = line.fragments.at(-1);
    line.size = Math.max(line.size, style.size);
    let lead = '';
    if (this.#hasSpace && last) {
      // An underlined link does not end in a space.
      const owner = last.style.link && last.style !== style ? style : last.style;
      const space = this.#measure(' ', owner);
      if (owner === last.style) {
        last.text += ' ';
        last.width += space;
        line.width += space;
      } else lead = ' ';
    }
    this.#hasSpace = false;
    const whole = width + (lead === '' ? 0 : this.#measure(lead, style));
    if (last && last.style === style) {
      last.text += text;
      last.width += whole;
    } else line.fragments.push({ text: lead + text, style, left: line.width, width: whole });
    line.width += whole;
  }
}

const noStyle: TextStyle = { size: 10, colour: [0, 0, 0] };
const emptyLine = (): Line => ({ fragments: [], width: 0, size: 0 });

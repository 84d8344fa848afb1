import { codePageOfCharset, decoderOfCodePage } from './code-pages.ts';
import type { RtfState } from './rtf-state.ts';

/** The code pages of the document and its fonts, in which bytes are text. */
export class RtfFonts {
  readonly #codePages = new Map<number, number>();
  #codePage = 1252;
  #default = 0;

  get default(): number {
    return this.#default;
  }

  /** Takes words about fonts and code pages. Returns false for others. */
  word(word: string, value: number | undefined, state: RtfState): boolean {
    if (word === 'ansicpg') this.#codePage = value ?? 1252;
    else if (word === 'mac') this.#codePage = 10000;
    else if (word === 'pc' || word === 'pca') this.#codePage = 866;
    else if (word === 'deff') state.font = this.#default = value ?? 0;
    else if (word === 'fcharset' && state.destination === 'fonts') {
      const page = codePageOfCharset(value ?? 0);
      if (page) this.#codePages.set(state.font, page);
    } else return false;
    return true;
  }

  decode(bytes: readonly number[], font: number): string {
    const page = this.#codePages.get(font) ?? this.#codePage;
    return decoderOfCodePage(page).decode(Buffer.from(bytes));
  }
}

import type { Emphasis, Link } from '../element.ts';

export interface RunStyle {
  bold?: boolean;
  italic?: boolean;
  underline?: boolean;
  url?: string;
}

export interface Paragraph {
  text: string;
  links?: Link[];
  emphasis?: Emphasis[];
}

const space = /[\s\u00a0]+/gu;
/** Soft hyphens, zero-width spaces and control characters that are no white space. */
const invisible = /[\u00ad\u200b\ufeff]|(?!\s)\p{Cc}/gu;
const tags = [
  ['bold', 'b'],
  ['italic', 'i'],
  ['underline', 'u'],
] as const;

interface EmphasisRun extends Emphasis {
  end: number;
  /** Where the last character was that is no space, after this run. */
  inkEnd: number;
}

/**
 * Collects the runs of a paragraph: white space collapses, neighbours of the same style join. It never looks at the text
 * as a whole, since a paragraph may have a million runs.
 */
export class RichText {
  #text = '';
  #links: Link[] = [];
  #emphasis: EmphasisRun[] = [];
  #endsInSpace = true;
  #inkEnd = 0;
  #plain = false;

  get isEmpty(): boolean {
    return this.#inkEnd === 0;
  }

  /** Whether all of its letters are bold. */
  get isBold(): boolean {
    return !this.#plain && !this.isEmpty;
  }

  add(raw: string, style: RunStyle = {}): void {
    let text = raw.replace(invisible, '').replace(space, ' ');
    if (this.#endsInSpace && text.startsWith(' ')) text = text.slice(1);
    if (text === '') return;
    const start = this.#text.length;
    this.#text += text;
    this.#endsInSpace = text.endsWith(' ');
    const ink = text.trimEnd().length;
    if (ink === 0) return;
    const inkBefore = this.#inkEnd;
    this.#inkEnd = start + ink;
    if (!style.bold) this.#plain = true;
    for (const [field, tag] of tags) if (style[field]) this.#emphasise(text, tag, start, inkBefore);
    if (style.url) this.#link(text, style.url, start);
  }

  take(): Paragraph {
    const text = this.#text.trimEnd();
    const links = this.#links.map((link) => ({ ...link, text: link.text.trim() }));
    const emphasis = this.#emphasis.map(({ text: part, tag }) => ({ text: part.trim(), tag }));
    this.#text = '';
    this.#links = [];
    this.#emphasis = [];
    this.#endsInSpace = true;
    this.#inkEnd = 0;
    this.#plain = false;
    return { text, ...(links.length > 0 && { links }), ...(emphasis.length > 0 && { emphasis }) };
  }

  /** Runs that only white space separates are one. */
  #emphasise(text: string, tag: Emphasis['tag'], start: number, inkBefore: number): void {
    const last = this.#emphasis.findLast((it) => it.tag === tag);
    const end = start + text.length;
    if (last && last.inkEnd === inkBefore) {
      last.text += (start > last.end ? ' ' : '') + text;
      last.end = end;
      last.inkEnd = this.#inkEnd;
    } else this.#emphasis.push({ text, tag, end, inkEnd: this.#inkEnd });
  }

  #link(text: string, url: string, start: number): void {
    const last = this.#links.at(-1);
    if (last && last.url === url && last.start + last.text.length === start) last.text += text;
    else
      this.#links.push({
        text: text.trimStart(),
        url,
        start: start + (text.length - text.trimStart().length),
      });
  }
}

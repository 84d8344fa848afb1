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

/** Collects the runs of a paragraph: white space collapses, neighbours of the same style join. */
export class RichText {
  #text = '';
  #links: Link[] = [];
  #emphasis: { text: string; tag: Emphasis['tag']; end: number }[] = [];
  #plain = 0;

  get isEmpty(): boolean {
    return this.#text.trim() === '';
  }

  /** Whether all of its letters are bold. */
  get isBold(): boolean {
    return this.#plain === 0 && !this.isEmpty;
  }

  add(raw: string, style: RunStyle = {}): void {
    let text = raw.replace(invisible, '').replace(space, ' ');
    if (text.startsWith(' ') && (this.#text === '' || this.#text.endsWith(' '))) text = text.slice(1);
    if (text === '') return;
    const start = this.#text.length;
    this.#text += text;
    if (text.trim() === '') return;
    if (!style.bold) this.#plain += text.trim().length;
    for (const [field, tag] of tags) if (style[field]) this.#emphasise(text, tag, start);
    if (style.url) this.#link(text, style.url, start);
  }

  take(): Paragraph {
    const text = this.#text.trimEnd();
    const links = this.#links.map((link) => ({ ...link, text: link.text.trim() }));
    const emphasis = this.#emphasis.map(({ text: part, tag }) => ({ text: part.trim(), tag }));
    this.#text = '';
    this.#links = [];
    this.#emphasis = [];
    this.#plain = 0;
    return { text, ...(links.length > 0 && { links }), ...(emphasis.length > 0 && { emphasis }) };
  }

  #emphasise(text: string, tag: Emphasis['tag'], start: number): void {
    const last = this.#emphasis.findLast((it) => it.tag === tag);
    if (last && this.#text.slice(last.end, start).trim() === '') {
      last.text += this.#text.slice(last.end, start) + text;
      last.end = start + text.length;
    } else this.#emphasis.push({ text, tag, end: start + text.length });
  }

  #link(text: string, url: string, start: number): void {
    const last = this.#links.at(-1);
    if (last && last.url === url && last.start + last.text.length === start) last.text += text;
    else this.#links.push({ text, url, start: start + (text.length - text.trimStart().length) });
  }
}

import type { Draft } from '../../drafts/draft.ts';
import { RichText } from '../../drafts/rich-text.ts';
import { classifyParagraph, classifyText, isPageNumber } from '../../text/classify-text.ts';
import { codePageOfCharset, decoderOfCodePage } from './code-pages.ts';
import {
  type Destination,
  destinationOf,
  freshParagraph,
  isKnownExtension,
  type RtfState,
  specials,
} from './rtf-state.ts';
import { RtfTable } from './rtf-table.ts';
import type { RtfToken } from './rtf-tokens.ts';

const deepest = 2_000;
const first: RtfState = { destination: 'body', font: 0, skipAfterUnicode: 1, hidden: false };

/** Turns tokens into paragraphs. Text comes as bytes in the code page of its font, or as `\u` with a substitute. */
export class RtfReader {
  readonly #texts = new Map<Destination, RichText>();
  readonly #fonts = new Map<number, number>();
  readonly #headings = new Map<number, number>();
  readonly #margins = new Map<string, Draft['kind']>();
  readonly #notes: Draft[] = [];
  readonly #table = new RtfTable();
  readonly #hasPages: boolean;
  #ready: Draft[] = [];
  #states: RtfState[] = [];
  #state: RtfState = { ...first };
  #paragraph = freshParagraph();
  #codePage = 1252;
  #defaultFont = 0;
  #bytes: number[] = [];
  #toSkip = 0;
  #starred = false;
  #instruction = '';
  #styleName = '';
  #styleNumber = 0;
  #page = 1;
  #hasHeadings = false;

  constructor(hasPages: boolean) {
    this.#hasPages = hasPages;
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
    this.#endParagraph();
    this.#endTable();
    const margins = [...this.#margins].map(([text, kind]): Draft => ({ kind, text }));
    const headers = margins.filter(({ kind }) => kind === 'Header');
    const drafts = [
      ...headers,
      ...this.#ready,
      ...this.#notes,
      ...margins.filter(({ kind }) => kind !== 'Header'),
    ];
    this.#ready = [];
    return drafts;
  }

  #close(): void {
    const ended = this.#state;
    this.#state = this.#states.pop() ?? { ...first };
    const changed = ended.destination !== this.#state.destination;
    if (changed && /^(?:header|footer|footnote)$/.test(ended.destination)) this.#endMargin(ended.destination);
    if (changed && ended.destination === 'field instruction') {
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
    const page = this.#fonts.get(this.#state.font) ?? this.#codePage;
    const bytes = Buffer.from(this.#bytes);
    this.#bytes = [];
    this.#add(decoderOfCodePage(page).decode(bytes));
  }

  #add(text: string): void {
    const { destination, hidden } = this.#state;
    if (destination === 'skip' || hidden || destination === 'fonts') return;
    if (destination === 'styles') this.#nameStyle(text);
    else if (destination === 'field instruction') this.#instruction += text;
    else this.#textOf(destination).add(text, this.#state);
  }

  #textOf(destination: Destination): RichText {
    const found = this.#texts.get(destination) ?? new RichText();
    this.#texts.set(destination, found);
    return found;
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
    if (!this.#documentWord(word, value) && this.#state.destination !== 'skip') {
      this.#runWord(word, value);
      this.#paragraphWord(word, value);
    }
  }

  #unicode(value: number): void {
    this.#decode();
    this.#bytes = [];
    this.#add(String.fromCharCode(value < 0 ? value + 65_536 : value));
    this.#toSkip = this.#state.skipAfterUnicode;
  }

  #documentWord(word: string, value: number | undefined): boolean {
    if (word === 'ansicpg') this.#codePage = value ?? 1252;
    else if (word === 'mac') this.#codePage = 10000;
    else if (word === 'pc' || word === 'pca') this.#codePage = 866;
    else if (word === 'deff') this.#state.font = this.#defaultFont = value ?? 0;
    else if (word === 'fcharset' && this.#state.destination === 'fonts') {
      const page = codePageOfCharset(value ?? 0);
      if (page) this.#fonts.set(this.#state.font, page);
    } else return false;
    return true;
  }

  #runWord(word: string, value: number | undefined): void {
    const on = value !== 0;
    if (word === 'f') this.#state.font = value ?? 0;
    else if (word === 'uc') this.#state.skipAfterUnicode = Math.max(0, Math.min(value ?? 1, 10));
    else if (word === 'b') this.#state.bold = on;
    else if (word === 'i') this.#state.italic = on;
    else if (word === 'ul') this.#state.underline = on;
    else if (word === 'ulnone') this.#state.underline = false;
    else if (word === 'v') this.#state.hidden = on;
    else if (word === 'plain') {
      Object.assign(this.#state, {
        bold: false,
        italic: false,
        underline: false,
        hidden: false,
        font: this.#defaultFont,
      });
    }
  }

  #paragraphWord(word: string, value: number | undefined): void {
    if (this.#state.destination === 'styles') {
      this.#styleWord(word, value);
      return;
    }
    if (this.#state.destination !== 'body') return;
    switch (word) {
      case 'pard':
        this.#paragraph = freshParagraph();
        return;
      case 's':
        this.#paragraph.style = value ?? 0;
        return;
      case 'outlinelevel':
        this.#paragraph.heading = value;
        return;
      case 'ls':
        this.#paragraph.list = value !== 0;
        return;
      case 'ilvl':
        this.#paragraph.level = Math.max(0, Math.min(value ?? 0, 8));
        return;
      case 'intbl':
        this.#paragraph.inTable = true;
        return;
      case 'cell':
      case 'nestcell':
        this.#table.cell(this.#textOf('body').take().text);
        return;
      case 'row':
        this.#table.row();
        return;
      case 'par':
      case 'sect':
        this.#endParagraph();
        return;
      case 'page':
      case 'softpage':
        this.#endParagraph();
        this.#page++;
        return;
      default:
        this.#table.word(word, value);
    }
  }

  #styleWord(word: string, value: number | undefined): void {
    if (word === 's') this.#styleNumber = value ?? 0;
    else if (word === 'outlinelevel' && value !== undefined && value < 9)
      this.#headings.set(this.#styleNumber, value);
  }

  #nameStyle(text: string): void {
    this.#styleName += text;
    if (!text.endsWith(';')) return;
    const named = /^\s*(?:heading|заголовок) ([1-9])/i.exec(this.#styleName)?.[1];
    if (named) this.#headings.set(this.#styleNumber, Number(named) - 1);
    else if (/^\s*(?:title|название);/i.test(this.#styleName)) this.#headings.set(this.#styleNumber, 0);
    this.#styleName = '';
    this.#styleNumber = 0;
  }

  #endParagraph(): void {
    const text = this.#textOf('body');
    if (this.#paragraph.inTable) {
      text.add(' ');
      return;
    }
    this.#endTable();
    const bold = text.isBold;
    const paragraph = text.take();
    if (paragraph.text === '') return;
    this.#ready.push(this.#onPage({ ...paragraph, ...this.#kindOf(paragraph.text, bold) }));
  }

  #kindOf(text: string, bold: boolean): Pick<Draft, 'kind' | 'depth'> {
    const heading = this.#paragraph.heading ?? this.#headings.get(this.#paragraph.style);
    if (heading !== undefined && heading < 9) {
      this.#hasHeadings = true;
      return { kind: 'Title', depth: heading };
    }
    if (this.#paragraph.list) return { kind: 'ListItem', depth: this.#paragraph.level };
    const kind = bold && !this.#hasHeadings ? classifyText(text, []) : classifyParagraph(text);
    return kind === 'Title' || kind === 'ListItem' ? { kind, depth: 0 } : { kind };
  }

  #endTable(): void {
    if (!this.#table.isOpen) return;
    const draft = this.#table.take();
    if (draft) this.#ready.push(this.#onPage(draft));
  }

  #endMargin(destination: Destination): void {
    const { text } = this.#textOf(destination).take();
    if (text === '') return;
    if (destination === 'footnote') this.#notes.push({ kind: 'NarrativeText', text });
    else if (!this.#margins.has(text)) {
      this.#margins.set(
        text,
        isPageNumber(text) ? 'PageNumber' : destination === 'header' ? 'Header' : 'Footer',
      );
    }
  }

  #onPage(draft: Draft): Draft {
    return this.#hasPages ? { ...draft, page: this.#page } : draft;
  }
}

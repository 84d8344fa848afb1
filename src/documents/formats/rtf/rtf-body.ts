import type { Draft } from '../../drafts/draft.ts';
import { RichText } from '../../drafts/rich-text.ts';
import { classifyParagraph, classifyText } from '../../text/classify-text.ts';
import { freshParagraph } from './rtf-state.ts';
import type { RtfStyles } from './rtf-styles.ts';
import { RtfTable } from './rtf-table.ts';

/** Collects the paragraphs and tables of the body. */
export class RtfBody {
  readonly text = new RichText();
  readonly #styles: Pick<RtfStyles, 'headingOf'>;
  readonly #hasPages: boolean;
  readonly #table = new RtfTable();
  readonly #drafts: Draft[] = [];
  #paragraph = freshParagraph();
  #page = 1;
  #hasHeadings = false;

  constructor(styles: Pick<RtfStyles, 'headingOf'>, hasPages: boolean) {
    this.#styles = styles;
    this.#hasPages = hasPages;
  }

  word(word: string, value: number | undefined): void {
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
        this.#table.cell(this.text.take().text);
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

  end(): Draft[] {
    this.#endParagraph();
    this.#endTable();
    return this.#drafts;
  }

  #endParagraph(): void {
    if (this.#paragraph.inTable) {
      this.text.add(' ');
      return;
    }
    this.#endTable();
    const bold = this.text.isBold;
    const paragraph = this.text.take();
    if (paragraph.text !== '') this.#add({ ...paragraph, ...this.#kindOf(paragraph.text, bold) });
  }

  #kindOf(text: string, bold: boolean): Pick<Draft, 'kind' | 'depth'> {
    const heading = this.#paragraph.heading ?? this.#styles.headingOf(this.#paragraph.style);
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
    if (draft) this.#add(draft);
  }

  #add(draft: Draft): void {
    this.#drafts.push(this.#hasPages ? { ...draft, page: this.#page } : draft);
  }
}

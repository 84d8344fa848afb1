import type { PageCanvas } from '../file/page-canvas.ts';
import type { PdfDocument } from '../file/pdf-document.ts';
import { type Budget, most, tooMany } from '../limits.ts';
import { drawTable } from './draw-table.ts';
import { faint, page } from './looks.ts';
import type { Measure } from './measure.ts';
import { type Item, isTable, type Piece, type TableItem } from './piece.ts';

const bottom = page.height - page.bottom;
const footer = { size: 8, colour: faint };

/** Puts items on pages, from top to bottom. */
export class PageFlow {
  readonly #document: PdfDocument;
  readonly #budget: Budget;
  #canvas: PageCanvas;
  #top = page.top;

  constructor(document: PdfDocument, budget: Budget) {
    this.#document = document;
    this.#budget = budget;
    this.#canvas = document.addPage();
  }

  place(items: readonly Item[]): void {
    items.forEach((item, at) => {
      this.#budget.check();
      if (isTable(item)) this.#placeTable(item);
      else this.#placePiece(item, items, at);
    });
  }

  #placePiece(piece: Piece, items: readonly Item[], at: number): void {
    const gap = this.#top > page.top ? piece.gap : 0;
    if (this.#top > page.top && this.#top + gap + keptHeight(items, at) > bottom) {
      this.#next();
      piece.draw(this.#canvas, page.side, this.#top);
      this.#top += piece.height;
      return;
    }
    piece.draw(this.#canvas, page.side, this.#top + gap);
    this.#top += gap + piece.height;
  }

  #placeTable({ table, gap, left, behind }: TableItem): void {
    this.#top = drawTable(table, {
      canvas: this.#canvas,
      left: page.side + left,
      top: this.#top + (this.#top > page.top ? gap : 0),
      bottom,
      next: () => {
        this.#budget.check();
        this.#next();
        return { canvas: this.#canvas, top: this.#top };
      },
      behind: (canvas, top, height) => behind?.(canvas, page.side, top, height),
    });
  }

  #next(): void {
    if (this.#document.pages.length >= most.pages) throw tooMany('pages');
    this.#canvas = this.#document.addPage();
    this.#top = page.top;
  }

  /** Page numbers, once all pages are there. */
  number(measure: Measure): void {
    const { pages } = this.#document;
    pages.forEach((canvas, at) => {
      const text = `${at + 1} / ${pages.length}`;
      const width = measure(text, footer);
      canvas.text(text, footer, { left: (page.width - width) / 2, baseline: page.height - 32, width });
    });
  }
}

const someRow = 40;

/** Height of a piece with what it must stay with. */
function keptHeight(items: readonly Item[], at: number): number {
  let height = 0;
  for (let next = at; next < items.length && next < at + 12; next++) {
    const item = items[next] as Item;
    if (isTable(item)) return height + item.gap + someRow;
    height += item.height + (next > at ? item.gap : 0);
    if (!item.keep) break;
  }
  return height;
}

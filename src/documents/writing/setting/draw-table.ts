import type { PageCanvas } from '../file/page-canvas.ts';
import { ruleInk, shade } from './looks.ts';
import type { Piece } from './piece.ts';
import type { SetCell, SetTable } from './set-table.ts';

/** Where a table is drawn. */
export interface TablePlace {
  /** Undefined to measure only. */
  canvas: PageCanvas | undefined;
  left: number;
  top: number;
  /** Where the page ends. */
  bottom: number;
  /** Begins a page; `top` is where it begins. */
  next?(): { canvas: PageCanvas | undefined; top: number };
  behind?(canvas: PageCanvas, top: number, height: number): void;
}

/** A cell that has begun and not ended. */
interface OpenCell {
  cell: SetCell;
  pieces: Piece[];
  top: number;
}

const leastRow = 4;
/** A row is broken where more than this is left of the page and the whole row would not fit on any. */
const worthFilling = 60;
const mostHeader = 0.35;

/** Draws a table from `place` on, over as many pages as it takes. Returns where it ends. */
export function drawTable(table: SetTable, place: TablePlace): number {
  return new TableDrawing(table, place).draw();
}

export const heightOf = (table: SetTable): number =>
  drawTable(table, { canvas: undefined, left: 0, top: 0, bottom: Infinity });

class TableDrawing {
  readonly #table: SetTable;
  readonly #place: TablePlace;
  #canvas: PageCanvas | undefined;
  #top: number;
  /** Where the rows begin on this page, below the repeated header. */
  #start: number;
  #open: OpenCell[] = [];

  constructor(table: SetTable, place: TablePlace) {
    this.#table = table;
    this.#place = place;
    this.#canvas = place.canvas;
    this.#top = place.top;
    this.#start = place.top;
  }

  draw(): number {
    const { rows, cells } = this.#table;
    const byRow = Map.groupBy(cells, ({ row }) => row);
    for (let row = 0; row < rows; row++) {
      for (const cell of byRow.get(row) ?? []) this.#open.push({ cell, pieces: cell.pieces, top: this.#top });
      this.#row(row);
    }
    return this.#top;
  }

  #row(row: number): void {
    const ends = ({ cell }: OpenCell) => cell.row + cell.rows - 1 <= row;
    for (;;) {
      const needed = this.#open
        .filter(ends)
        .reduce((most, open) => Math.max(most, open.top + this.#heightOf(open) - this.#top), leastRow);
      const left = this.#place.bottom - this.#top;
      if (needed <= left) {
        if (this.#canvas) this.#place.behind?.(this.#canvas, this.#top, needed);
        this.#top += needed;
        for (const open of this.#open.filter(ends)) this.#drawCell(open, open.pieces, this.#top);
        this.#open = this.#open.filter((open) => !ends(open));
        return;
      }
      const isFirst = this.#top <= this.#start;
      const fitsElsewhere = needed <= this.#place.bottom - this.#pageTop;
      if (!isFirst && (fitsElsewhere || left < worthFilling)) this.#breakPage(this.#top, false);
      else {
        if (this.#canvas) this.#place.behind?.(this.#canvas, this.#top, left);
        this.#breakPage(this.#place.bottom, isFirst && this.#start <= this.#pageTop + 1);
      }
    }
  }

  /** Where rows begin on a page that has nothing else; an estimate until there has been one. */
  #pageTop = 0;

  /** Draws what fits above `end`, and goes on with the rest on the next page. */
  #breakPage(end: number, force: boolean): void {
    for (const open of this.#open) {
      const room = end - open.top - 2 * this.#table.padding;
      let [taken, height] = [0, 0];
      for (const piece of open.pieces) {
        height += piece.height + (taken > 0 ? piece.gap : 0);
        if (height > room && !(force && taken === 0)) break;
        taken++;
      }
      if (end - open.top > 1) this.#drawCell(open, open.pieces.slice(0, taken), end);
      open.pieces = open.pieces.slice(taken);
    }
    const { canvas, top } = this.#place.next?.() ?? { canvas: this.#canvas, top: 0 };
    this.#canvas = canvas;
    this.#top = top + this.#drawHeader(top);
    this.#start = this.#top;
    this.#pageTop = this.#top;
    for (const open of this.#open) open.top = this.#top;
  }

  /** The header again. One that takes much of the page is not repeated, nor within itself. */
  #drawHeader(top: number): number {
    const { headerRows, cells, padding } = this.#table;
    const inHeader = this.#open.some(({ cell }) => cell.row < headerRows);
    if (headerRows === 0 || inHeader || !this.#canvas) return 0;
    const header = {
      rows: headerRows,
      headerRows: 0,
      cells: cells.filter(({ row }) => row < headerRows),
      padding,
    };
    const height = heightOf(header);
    if (height > mostHeader * (this.#place.bottom - top)) return 0;
    this.#place.behind?.(this.#canvas, top, height);
    drawTable(header, { canvas: this.#canvas, left: this.#place.left, top, bottom: Infinity });
    return height;
  }

  #heightOf({ pieces }: OpenCell): number {
    const content = pieces.reduce((sum, piece, at) => sum + piece.height + (at > 0 ? piece.gap : 0), 0);
    return content + 2 * this.#table.padding;
  }

  #drawCell({ cell, top }: OpenCell, pieces: readonly Piece[], end: number): void {
    const canvas = this.#canvas;
    if (!canvas) return;
    const { padding } = this.#table;
    const left = this.#place.left + cell.left;
    const right = left + cell.width;
    if (cell.heading) canvas.fill(left, top, cell.width, end - top, shade);
    let at = top + padding;
    pieces.forEach((piece, index) => {
      if (index > 0) at += piece.gap;
      piece.draw(canvas, left + padding, at);
      at += piece.height;
    });
    const pen = { colour: ruleInk, width: 0.6 };
    canvas.line([left, top], [right, top], pen);
    canvas.line([left, end], [right, end], pen);
    canvas.line([left, top], [left, end], pen);
    canvas.line([right, top], [right, end], pen);
  }
}

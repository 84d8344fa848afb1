import type { Block, TableBlock } from '../content/block.ts';
import { columnWidths } from './column-widths.ts';
import { drawTable, heightOf } from './draw-table.ts';
import { frame } from './looks.ts';
import type { Measure } from './measure.ts';
import { type Item, isTable, type Piece } from './piece.ts';
import type { Frame } from './set-blocks.ts';

export interface SetCell {
  row: number;
  rows: number;
  left: number;
  width: number;
  heading: boolean;
  pieces: Piece[];
}

export interface SetTable {
  rows: number;
  /** Repeated on each page. */
  headerRows: number;
  cells: SetCell[];
  padding: number;
}

const padding = 4;
/** Tables with many columns have smaller letters. */
const sizeFor = (columns: number) => (columns <= 6 ? 9 : columns <= 10 ? 8 : columns <= 16 ? 7 : 5.5);

/** A table with the content of its cells broken into lines. */
export function setTable(
  block: TableBlock,
  within: Frame,
  { measure, setCell }: { measure: Measure; setCell(blocks: readonly Block[], within: Frame): Item[] },
): SetTable {
  const size = Math.min(within.size, sizeFor(block.columns));
  const base = { size };
  const inset = block.columns > 16 ? 1.5 : padding;
  const widths = columnWidths(block, { room: within.width, base, padding: inset, measure });
  const lefts = widths.map((_, at) => widths.slice(0, at).reduce((total, width) => total + width, 0));
  const cells = block.cells.map((cell): SetCell => {
    const own = widths.slice(cell.column, cell.column + cell.columns);
    const width = own.reduce((total, it) => total + it, 0);
    const inner = { ...within, size, width: Math.max(4, width - 2 * inset), tables: within.tables + 1 };
    const pieces = piecesOf(setCell(cell.blocks, inner));
    const { row, rows, heading } = cell;
    return { row, rows, heading, left: lefts[cell.column] ?? 0, width, pieces };
  });
  const { rows, headerRows } = block;
  const reaching = cells.some(({ row, rows: span }) => row < headerRows && row + span > headerRows);
  return { rows, headerRows: reaching ? 0 : headerRows, cells, padding: inset };
}

/** A table in a cell is drawn as a whole, or without its grid where it is too tall for that. */
function piecesOf(items: readonly Item[]): Piece[] {
  return items.flatMap((item) => {
    if (!isTable(item)) return [item];
    const { table, left: indent, gap } = item;
    const height = heightOf(table);
    if (height > frame.height / 2) return table.cells.flatMap((cell) => cell.pieces);
    return [
      {
        gap,
        height,
        draw: (canvas, left, top) => {
          drawTable(table, { canvas, left: left + indent, top, bottom: Infinity });
        },
      },
    ];
  });
}

import type { TableCell, TableCells } from '../../element.ts';
import type { Word } from '../page-content.ts';
import { rowsOf } from '../rows.ts';
import { joinLines, withoutSoftHyphens } from '../text/hyphens.ts';
import { lineText, toLine } from '../text-line.ts';

/** A cell that still has its words. */
export interface WordCell {
  row: number;
  column: number;
  rowSpan: number;
  columnSpan: number;
  words: Word[];
}

export function cellText(words: Word[]): string {
  const lines = rowsOf(words).map((row) => withoutSoftHyphens(lineText(toLine(row))));
  return lines.reduce(joinLines, '').trim();
}

export function toTable(rows: number, columns: number, cells: WordCell[]): TableCells {
  const sorted = cells.toSorted((a, b) => a.row - b.row || a.column - b.column);
  return {
    rows,
    columns,
    headerRows: headerRows(rows, sorted),
    cells: sorted.map(({ words, ...place }) => ({ ...place, text: cellText(words) }) satisfies TableCell),
  };
}

const isNumeric = (text: string) =>
  /^[-+−–(]?[\p{Sc}]?[\d\s.,%)]+[\p{Sc}%]?$/u.test(text) && !/^(19|20)\d\d$/.test(text);

/** Rows at the top that are set in bold, or that name columns of numbers. Cells over several rows keep them together. */
function headerRows(rows: number, cells: WordCell[]): number {
  if (rows < 2) return 0;
  const bold = (row: number) => {
    const filled = cells.filter((cell) => cell.row === row && cell.words.length > 0);
    return filled.length > 0 && filled.every((cell) => cell.words.every((word) => word.style.bold));
  };
  let count = 0;
  while (count < Math.min(3, rows - 1) && bold(count)) count += 1;
  if (count === 0 || Array.from({ length: rows }, (_, row) => row).every((row) => bold(row))) {
    const first = cells.filter((cell) => cell.row === 0);
    const named = first.filter((cell) => cell.words.length > 0 && !isNumeric(cellText(cell.words)));
    count = named.length >= first.length - 1 && named.length > 0 ? 1 : 0;
  }
  const reach = cells.filter((cell) => cell.row < count).map((cell) => cell.row + cell.rowSpan);
  return Math.min(rows - 1, Math.max(count, ...reach.filter((end) => end <= 3)));
}

import type { TableCell } from '../element.ts';
import type { TableBlock, TextBlock } from '../layout/page-content.ts';
import { lineText } from '../layout/text-line.ts';

/** Whether a paragraph that ends a column or a page goes on in the block that begins the next. */
export function continues(first: TextBlock, second: TextBlock): boolean {
  const [last, next] = [first.lines.at(-1), second.lines[0]];
  if (!last || !next || second.marker !== undefined) return false;
  if (
    Math.abs(last.size - next.size) > 0.08 * last.size + 0.3 ||
    last.bold !== next.bold ||
    last.mono !== next.mono
  )
    return false;
  const [end, start] = [lineText(last).trim(), lineText(next).trim()];
  if (/[\p{L}][-‐\u00ad]$/u.test(end)) return /^\p{L}/u.test(start);
  if (/[.!?…][»")”’\]]*$/u.test(end)) return false;
  if (/^\p{Ll}/u.test(start)) return true;
  if (/[:;]$/.test(end)) return false;
  // A full line without an end of sentence goes on, even with a name or a number.
  const full = last.box.right > first.columnRight - 2.5 * last.size;
  return full && first.lines.length > 1 && second.lines.length > 1 && /[\p{L},\d]$/u.test(end);
}

/** Whether a table at the top of a page continues the one at the bottom of the page before. */
export function tableContinues(first: TableBlock, second: TableBlock): boolean {
  if (first.table.columns !== second.table.columns) return false;
  const width = first.box.right - first.box.left;
  return first.columnEdges.every(
    (edge, index) => Math.abs(edge - (second.columnEdges[index] as number)) < 0.06 * width,
  );
}

/** The rows of both tables. A header that is repeated on the second page is left out. */
export function joinTables(first: TableBlock, second: TableBlock): TableBlock {
  const { table } = first;
  const skipped = repeatedRows(first, second);
  const moved = second.table.cells
    .filter((cell) => cell.row >= skipped)
    .map((cell) => ({ ...cell, row: cell.row - skipped + table.rows }));
  const rows = table.rows + second.table.rows - skipped;
  return { ...first, table: { ...table, rows, cells: [...table.cells, ...moved] } };
}

function repeatedRows(first: TableBlock, second: TableBlock): number {
  const rowText = (cells: TableCell[], row: number) =>
    cells
      .filter((cell) => cell.row === row)
      .map((cell) => cell.text)
      .join('\t');
  let rows = 0;
  while (
    rows < Math.min(3, second.table.rows - 1) &&
    rowText(first.table.cells, rows) === rowText(second.table.cells, rows) &&
    rowText(first.table.cells, rows).trim() !== ''
  )
    rows += 1;
  return rows;
}

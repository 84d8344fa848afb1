import type { TableCell, TableCells } from '../element.ts';
import { Unreadable } from '../unreadable.ts';
import type { Draft } from './draft.ts';

export interface GridCell {
  text: string;
  rowSpan?: number;
  columnSpan?: number;
}

const mostColumns = 16_384;
const mostRows = 1_048_576;

/**
 * A table from rows of cells, as HTML has them: a cell that a span covers is not listed. Empty rows and columns at the
 * end are left out. Undefined if the table has no text.
 */
export function tableDraft(rows: readonly (readonly GridCell[])[], headerRows = 0): Draft | undefined {
  const cells = placed(rows);
  const filled = cells.filter((cell) => cell.text !== '');
  if (filled.length === 0) return undefined;
  const height = filled.reduce((most, cell) => Math.max(most, cell.row + 1), 0);
  const width = filled.reduce((most, cell) => Math.max(most, cell.column + 1), 0);
  const kept = cells
    .filter((cell) => cell.row < height && cell.column < width)
    .map((cell) => ({
      ...cell,
      rowSpan: Math.min(cell.rowSpan, height - cell.row),
      columnSpan: Math.min(cell.columnSpan, width - cell.column),
    }));
  return draftOf({ rows: height, columns: width, headerRows: Math.min(headerRows, height), cells: kept });
}

/** The draft of a table whose cells are known, in order of rows. */
export function draftOf(table: TableCells): Draft {
  const rows: TableCell[][] = Array.from({ length: table.rows }, () => []);
  for (const cell of table.cells) rows[cell.row]?.push(cell);
  return { kind: 'Table', text: tableText(rows), html: tableHtml(rows, table.headerRows), table };
}

export function tableText(rows: readonly (readonly TableCell[])[]): string {
  return rows
    .map((row) =>
      row
        .map((cell) => cell.text)
        .filter(Boolean)
        .join(' '),
    )
    .filter(Boolean)
    .join('\n');
}

export function tableHtml(rows: readonly (readonly TableCell[])[], headerRows: number): string {
  return `<table>${rows.map((row, index) => rowHtml(row, index < headerRows)).join('')}</table>`;
}

function rowHtml(row: readonly TableCell[], heading: boolean): string {
  const tag = heading ? 'th' : 'td';
  return `<tr>${row.map((cell) => `<${tag}${spans(cell)}>${escaped(cell.text)}</${tag}>`).join('')}</tr>`;
}

const spans = ({ rowSpan, columnSpan }: TableCell) =>
  `${rowSpan > 1 ? ` rowspan="${rowSpan}"` : ''}${columnSpan > 1 ? ` colspan="${columnSpan}"` : ''}`;

export const escaped = (text: string): string =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

/** Gives every cell its row and column, as HTML's table model does. */
function placed(rows: readonly (readonly GridCell[])[]): TableCell[] {
  if (rows.length > mostRows) throw new Unreadable('too large', `A table has more than ${mostRows} rows.`);
  const cells: TableCell[] = [];
  /** Per column, the first row that is free again. */
  const freeFrom: number[] = [];
  rows.forEach((row, rowIndex) => {
    let column = 0;
    for (const cell of row) {
      while ((freeFrom[column] ?? 0) > rowIndex) column++;
      const columnSpan = Math.max(1, Math.min(cell.columnSpan ?? 1, 1_000));
      const rowSpan = Math.max(1, Math.min(cell.rowSpan ?? 1, rows.length - rowIndex));
      if (column + columnSpan > mostColumns) {
        throw new Unreadable('too large', `A table has more than ${mostColumns} columns.`);
      }
      for (let at = column; at < column + columnSpan; at++) freeFrom[at] = rowIndex + rowSpan;
      cells.push({ row: rowIndex, column, rowSpan, columnSpan, text: cell.text });
      column += columnSpan;
    }
  });
  return cells;
}

import type { TableCell, TableCells } from '../../../documents/element.ts';

/**
 * Writes rows of a table as Markdown. A cell over several rows is repeated, so that every row can be read alone. The
 * cells are sorted once: long tables are written in thousands of parts.
 */
export function tableMarkdown(table: TableCells): (rows: ReadonlySet<number>) => string {
  const columns = columnsOf(table);
  const rowOf = (row: number) => Array.from({ length: table.columns }, (_, at) => shown(columns[at], row));
  return (rows) => {
    const [head = [], ...body] = [...rows].sort((a, b) => a - b).map(rowOf);
    return [line(head), line(head.map(() => '---')), ...body.map(line)].join('\n');
  };
}

/** The cells of each column from top to bottom. */
function columnsOf({ cells }: TableCells): (TableCell[] | undefined)[] {
  const columns: (TableCell[] | undefined)[] = [];
  for (const cell of cells) {
    const column = columns[cell.column];
    if (column) column.push(cell);
    else columns[cell.column] = [cell];
  }
  for (const column of columns) column?.sort((a, b) => a.row - b.row);
  return columns;
}

function shown(column: readonly TableCell[] | undefined, row: number): string {
  const cell = column && lastFrom(column, row);
  if (!cell || cell.row + cell.rowSpan <= row) return '';
  return cell.text.replace(/\s+/gu, ' ').trim().replaceAll('|', '\\|');
}

/** The last cell that begins at a row or above it. */
function lastFrom(column: readonly TableCell[], row: number): TableCell | undefined {
  let [low, high] = [0, column.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((column[middle]?.row ?? 0) <= row) low = middle + 1;
    else high = middle;
  }
  return column[low - 1];
}

const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;

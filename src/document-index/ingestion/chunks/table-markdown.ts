import type { TableCell, TableCells } from '../../../documents/element.ts';

/** Rows of a table as Markdown. A cell over several rows is repeated, so that every row can be read alone. */
export function tableMarkdown(table: TableCells, rows: ReadonlySet<number>): string {
  const grid = new Map<number, string[]>([...rows].map((row) => [row, Array(table.columns).fill('')]));
  for (const cell of table.cells) place(grid, cell);
  const [head = [], ...body] = [...grid].sort(([a], [b]) => a - b).map(([, cells]) => cells);
  return [line(head), line(head.map(() => '---')), ...body.map(line)].join('\n');
}

function place(grid: ReadonlyMap<number, string[]>, { row, column, rowSpan, text }: TableCell): void {
  const shown = text.replace(/\s+/gu, ' ').trim().replaceAll('|', '\\|');
  for (let at = row; at < row + rowSpan; at++) {
    const cells = grid.get(at);
    if (cells && column < cells.length) cells[column] = shown;
  }
}

const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;

import { childNodes, type MarkupNode } from '../../markup/markup-node.ts';
import { most, tooMany } from '../limits.ts';
import type { Block, Cell, TableBlock } from './block.ts';

/** As browsers do. */
const longestSpan = 1_000;
const mostHeaderRows = 3;

interface ReadTable {
  table?: TableBlock;
  captions: MarkupNode[];
  /** The only cell, if there is no more: a frame around other content. */
  single?: MarkupNode;
}

export function readTable(node: MarkupNode, blocksOf: (cell: MarkupNode) => Block[]): ReadTable {
  const rows = [...rowsOf(node)].map(({ row, section }) => ({
    section,
    cells: childNodes(row).filter(({ name }) => name === 'td' || name === 'th'),
  }));
  const captions = childNodes(node).filter(({ name }) => name === 'caption');
  const all = rows.flatMap(({ cells }) => cells);
  if (all.length <= 1) return { captions, ...(all[0] && { single: all[0] }) };
  const filled = rows.filter(({ cells }) => cells.length > 0);
  const placed = place(filled.map(({ cells }) => cells));
  const columns = usedColumns(placed);
  if (columns.length > most.columns) throw tooMany('columns');
  const cells = placed.map(({ node: cell, ...at }): Cell => {
    const first = columns.indexOf(at.column);
    const span = columns.filter((column) => column >= at.column && column < at.column + at.columns).length;
    return { ...at, column: first, columns: span, blocks: blocksOf(cell), heading: cell.name === 'th' };
  });
  const headings = filled.findIndex(
    (row) => row.section !== 'thead' && row.cells.some(({ name }) => name !== 'th'),
  );
  const headerRows = headings > mostHeaderRows || headings < 0 ? Math.min(1, headings + 1) : headings;
  return {
    captions,
    table: { kind: 'table', cells, rows: filled.length, columns: columns.length, headerRows },
  };
}

interface Placed {
  node: MarkupNode;
  row: number;
  column: number;
  rows: number;
  columns: number;
}

/** Where each cell stands, with the cells of earlier rows that reach down in mind. */
function place(rows: readonly MarkupNode[][]): Placed[] {
  const placed: Placed[] = [];
  /** By column: the first row that is free again. */
  const free: number[] = [];
  rows.forEach((cells, row) => {
    let column = 0;
    for (const node of cells) {
      while ((free[column] ?? 0) > row) column++;
      const columns = spanOf(node.attributes.colspan);
      const rowsLeft = rows.length - row;
      const wanted = node.attributes.rowspan === '0' ? rowsLeft : spanOf(node.attributes.rowspan);
      const height = Math.min(wanted, rowsLeft);
      for (let at = column; at < column + columns; at++) free[at] = row + height;
      placed.push({ node, row, column, rows: height, columns });
      column += columns;
      if (column > 100 * longestSpan) throw tooMany('columns');
    }
  });
  return placed;
}

/** Columns in which some cell begins; others exist only because cells claim to be wide. */
function usedColumns(placed: readonly Placed[]): number[] {
  return [...new Set(placed.map(({ column }) => column))].toSorted((one, other) => one - other);
}

const spanOf = (value: string | undefined) =>
  Math.max(1, Math.min(longestSpan, Number.parseInt(value ?? '1', 10) || 1));

function* rowsOf(table: MarkupNode): Generator<{ row: MarkupNode; section?: string }> {
  for (const it of childNodes(table)) {
    if (it.name === 'tr') yield { row: it };
    else if (/^t(?:head|body|foot)$/.test(it.name)) {
      for (const row of childNodes(it)) if (row.name === 'tr') yield { row, section: it.name };
    }
  }
}

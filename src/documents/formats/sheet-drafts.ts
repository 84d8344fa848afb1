import type { Draft } from '../drafts/draft.ts';
import { draftOf } from '../drafts/table-draft.ts';
import type { TableCell } from '../element.ts';
import { classifyText } from '../text/classify-text.ts';
import { isHeading } from './table-pieces.ts';

export interface SheetRow {
  index: number;
  /** The cells with text, from left to right. */
  cells: { column: number; text: string }[];
}

export interface SheetMerge {
  top: number;
  left: number;
  bottom: number;
  right: number;
}

/** A longer table is given as several, each with the heading row. */
const mostCells = 50_000;

/**
 * The tables of a sheet. A blank row ends a table; rows of one cell above a table are text, as are single cells.
 */
export function* sheetDrafts(rows: Iterable<SheetRow>, merges: readonly SheetMerge[]): Generator<Draft> {
  const spans = new Map(merges.map((merge) => [`${merge.top} ${merge.left}`, merge]));
  const tall = merges.filter((merge) => merge.bottom > merge.top);
  let block: SheetRow[] = [];
  let cells = 0;
  let header: SheetRow | undefined;
  for (const row of rows) {
    if (row.cells.length === 0) continue;
    const last = block.at(-1)?.index ?? row.index;
    const joined =
      row.index - last <= 1 || tall.some((merge) => merge.top <= last && merge.bottom >= row.index - 1);
    if (!joined) {
      yield* blockDrafts(block, spans, header);
      [block, cells, header] = [[], 0, undefined];
    } else if (cells >= mostCells) {
      header ??= block.find((it) => it.cells.length > 1 && isHeading(it.cells.map(({ text }) => text)));
      yield* blockDrafts(block, spans, header);
      [block, cells] = [[], 0];
    }
    block.push(row);
    cells += row.cells.length;
  }
  yield* blockDrafts(block, spans, header);
}

function* blockDrafts(
  block: SheetRow[],
  spans: ReadonlyMap<string, SheetMerge>,
  header: SheetRow | undefined,
): Generator<Draft> {
  let start = 0;
  const isAlone = (row: SheetRow | undefined) => row !== undefined && row.cells.length === 1;
  while (isAlone(block[start]) && (block.length - start === 1 || !isAlone(block[block.length - 1]))) {
    const text = block[start]?.cells[0]?.text ?? '';
    yield { kind: classifyText(text, []), text };
    start++;
  }
  const rows = block.slice(start);
  if (rows.length === 0) return;
  yield tableOf(header && rows[0] !== header ? [header, ...rows] : rows, spans);
}

/** Columns without any text are left out: a sheet may have one cell at its far end. */
function tableOf(rows: SheetRow[], spans: ReadonlyMap<string, SheetMerge>): Draft {
  const columns = [...new Set(rows.flatMap(({ cells }) => cells.map(({ column }) => column)))].sort(
    (a, b) => a - b,
  );
  const places = new Map(rows.map(({ index }, place) => [index, place]));
  const found: TableCell[] = [];
  const covered = new Set<string>();
  rows.forEach(({ index, cells }, row) => {
    const texts = new Map(cells.map((cell) => [cell.column, cell.text]));
    columns.forEach((source, column) => {
      if (covered.has(`${row} ${column}`)) return;
      const merge = spans.get(`${index} ${source}`);
      const rowSpan = merge ? Math.max(1, (places.get(merge.bottom) ?? rows.length - 1) - row + 1) : 1;
      const columnSpan = merge ? columns.filter((it) => it >= source && it <= merge.right).length : 1;
      for (let down = 0; merge && down < rowSpan; down++) {
        for (let across = 0; across < columnSpan; across++) covered.add(`${row + down} ${column + across}`);
      }
      found.push({ row, column, rowSpan, columnSpan, text: texts.get(source) ?? '' });
    });
  });
  const first = rows[0]?.cells.map(({ text }) => text) ?? [];
  const headerRows = rows.length > 1 && isHeading(first) ? 1 : 0;
  return draftOf({ rows: rows.length, columns: columns.length, headerRows, cells: found });
}

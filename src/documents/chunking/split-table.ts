import { escaped } from '../drafts/table-draft.ts';
import type { TableCell, TableCells } from '../element.ts';
import { splitOnce } from './split-text.ts';

export interface TablePart {
  text: string;
  html: string;
  /** How many rows at its top are repeated from the table's. */
  repeatedRows: number;
}

type Row = TableCell[];

/** Splits a table between rows, a row that is too long between cells, and a cell between words. */
export function* splitTable(table: TableCells, most: number, repeatHeaders: boolean): Generator<TablePart> {
  const rows: Row[] = Array.from({ length: table.rows }, () => []);
  for (const cell of table.cells) rows[cell.row]?.push(cell);
  const header = repeatHeaders ? headerOf(rows, table.headerRows, most) : undefined;
  let isFirst = true;
  const room = () => (isFirst || !header ? most : Math.max(1, most - header.text.length - 1));
  const part = (text: string, inner: string): TablePart => {
    const carried = isFirst ? undefined : header;
    isFirst = false;
    return {
      text: [carried?.text, text].filter(Boolean).join(' '),
      html: `<table>${carried?.html ?? ''}${inner}</table>`,
      repeatedRows: carried ? table.headerRows : 0,
    };
  };
  let held: { row: Row; heading: boolean }[] = [];
  let length = 0;
  const flush = function* (): Generator<TablePart> {
    if (held.length === 0) return;
    const text = held
      .map(({ row }) => rowText(row))
      .filter(Boolean)
      .join(' ');
    const html = held.map(({ row, heading }) => rowHtml(row, heading)).join('');
    held = [];
    length = 0;
    yield part(text, html);
  };
  for (const { group, start } of boundGroups(rows)) {
    const text = group.map(rowText).filter(Boolean).join(' ');
    if (held.length > 0 && length + held.length + text.length > room()) yield* flush();
    if (length + held.length + text.length <= room()) {
      held.push(...group.map((row, index) => ({ row, heading: start + index < table.headerRows })));
      length += text.length;
      continue;
    }
    for (const row of separated(group)) {
      for (const [piece, html] of splitRow(row, Math.max(1, most - (header ? header.text.length + 1 : 0))))
        yield part(piece, html);
    }
  }
  yield* flush();
}

const rowText = (row: Row) =>
  row
    .map(({ text }) => text)
    .filter(Boolean)
    .join(' ');
const rowHtml = (row: Row, heading: boolean) =>
  `<tr>${row.map((cell) => cellHtml(cell, heading)).join('')}</tr>`;

function cellHtml(
  { text, rowSpan, columnSpan }: Pick<TableCell, 'text' | 'rowSpan' | 'columnSpan'>,
  heading = false,
): string {
  const tag = heading ? 'th' : 'td';
  const spans = `${rowSpan > 1 ? ` rowspan="${rowSpan}"` : ''}${columnSpan > 1 ? ` colspan="${columnSpan}"` : ''}`;
  return `<${tag}${spans}>${escaped(text)}</${tag}>`;
}

/** The header rows to repeat, unless they would leave too little room for the rest. */
function headerOf(rows: Row[], count: number, most: number): { text: string; html: string } | undefined {
  const header = rows.slice(0, count);
  const text = header.map(rowText).filter(Boolean).join(' ');
  const longest = header.reduce((length, row) => Math.max(length, rowText(row).length), 0);
  const html = `<thead>${header.map((row, index) => rowHtml(clipped(row, count - index), true)).join('')}</thead>`;
  const fits =
    longest <= Math.floor((most + 1) / 2) &&
    text.length <= Math.floor((3 * most) / 4) &&
    html.length <= 4 * most;
  return count > 0 && fits ? { text, html } : undefined;
}

const clipped = (row: Row, rows: number): Row =>
  row.map((cell) => ({ ...cell, rowSpan: Math.min(cell.rowSpan, rows) }));

/** Rows that a cell over several of them binds together. */
function* boundGroups(rows: Row[]): Generator<{ group: Row[]; start: number }> {
  for (let start = 0; start < rows.length; ) {
    let end = start + 1;
    for (let at = start; at < end; at++) {
      for (const cell of rows[at] ?? []) end = Math.min(rows.length, Math.max(end, at + cell.rowSpan));
    }
    yield { group: rows.slice(start, end), start };
    start = end;
  }
}

/** Rows that stand for themselves: a cell over several rows is repeated in each. */
function separated(group: Row[]): Row[] {
  if (group.length === 1) return group;
  const first = group[0]?.[0]?.row ?? 0;
  return group.map((row, index) => {
    const above = group
      .slice(0, index)
      .flat()
      .filter((cell) => cell.row + cell.rowSpan > first + index);
    return [...above, ...row].sort((a, b) => a.column - b.column).map((cell) => ({ ...cell, rowSpan: 1 }));
  });
}

function* splitRow(row: Row, most: number): Generator<[string, string]> {
  let held: Row = [];
  let text = '';
  let empty = 0;
  const flush = function* (): Generator<[string, string]> {
    if (held.length > 0) yield [text, `<tr>${held.map((cell) => cellHtml(cell)).join('')}</tr>`];
    [held, text, empty] = [[], '', 0];
  };
  for (const cell of row) {
    const joined = [text, cell.text].filter(Boolean).join(' ');
    const size = joined.length + empty + (cell.text === '' ? 1 : 0);
    if (size > most) yield* flush();
    if (cell.text.length <= most) {
      held.push({ ...cell, rowSpan: 1 });
      text = [text, cell.text].filter(Boolean).join(' ');
      if (cell.text === '') empty++;
    } else yield* splitCell(cell, most);
  }
  yield* flush();
}

/** Unstructured counts the tags of a cell's fragment as well. */
function* splitCell(cell: TableCell, most: number): Generator<[string, string]> {
  const html = (text: string) => `<tr>${cellHtml({ text, rowSpan: 1, columnSpan: cell.columnSpan })}</tr>`;
  const tags = html('').length + '<table></table>'.length;
  let rest = cell.text;
  while (rest !== '') {
    let room = Math.max(1, most - tags);
    let [piece, next] = splitOnce(rest, { most: room, overlap: 0 });
    while (room > 1 && escaped(piece).length > Math.max(1, most - tags)) {
      room = Math.max(1, room - (escaped(piece).length - piece.length));
      [piece, next] = splitOnce(rest, { most: room, overlap: 0 });
    }
    yield [piece, html(piece)];
    rest = next;
  }
}

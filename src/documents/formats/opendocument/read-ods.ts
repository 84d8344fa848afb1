import type { Draft } from '../../drafts/draft.ts';
import { childNodes, type MarkupNode } from '../../markup/markup-node.ts';
import { xmlNodes } from '../../markup/xml-nodes.ts';
import type { FormatInput } from '../format-input.ts';
import { type SheetMerge, type SheetRow, sheetDrafts } from '../sheet-drafts.ts';
import { openOdf } from './odf-content.ts';
import { cellText, rowsOf } from './odf-table.ts';

/** Rows that a sheet repeats; files repeat the blank last row a million times. */
const mostRepeats = 1_000;

export async function* readOds(input: FormatInput): AsyncGenerator<Draft> {
  const content = await openOdf(input);
  try {
    let page = 0;
    for (const sheet of xmlNodes(content.source, new Set(['table:table']))) {
      page++;
      const pageName = sheet.attributes['table:name'];
      const merges: SheetMerge[] = [];
      const rows = [...sheetRows(sheet, merges)];
      for (const draft of sheetDrafts(rows, merges)) yield { ...draft, page, ...(pageName && { pageName }) };
    }
  } finally {
    content.archive.close();
  }
}

function* sheetRows(sheet: MarkupNode, merges: SheetMerge[]): Generator<SheetRow> {
  let index = 0;
  for (const { row } of rowsOf(sheet)) {
    const cells = sheetCells(row, index, merges);
    const times = Number(row.attributes['table:number-rows-repeated'] ?? 1) || 1;
    for (let at = 0; cells.length > 0 && at < Math.min(times, mostRepeats); at++)
      yield { index: index + at, cells };
    index += times;
  }
}

function sheetCells(row: MarkupNode, index: number, merges: SheetMerge[]): SheetRow['cells'] {
  const cells: SheetRow['cells'] = [];
  let column = 0;
  for (const cell of childNodes(row)) {
    if (!/^table:(?:covered-)?table-cell$/.test(cell.name)) continue;
    const times = Number(cell.attributes['table:number-columns-repeated'] ?? 1) || 1;
    const text = cellText(cell);
    for (let at = 0; text !== '' && at < Math.min(times, mostRepeats); at++)
      cells.push({ column: column + at, text });
    const down = Number(cell.attributes['table:number-rows-spanned'] ?? 1) || 1;
    const across = Number(cell.attributes['table:number-columns-spanned'] ?? 1) || 1;
    if (down > 1 || across > 1) {
      merges.push({ top: index, left: column, bottom: index + down - 1, right: column + across - 1 });
    }
    column += times;
  }
  return cells;
}

import { openZipArchive } from '../../../containers/zip-archive.ts';
import type { Draft } from '../../../drafts/draft.ts';
import { child, childNodes, type MarkupNode } from '../../../markup/markup-node.ts';
import { xmlNodes } from '../../../markup/xml-nodes.ts';
import type { FormatInput } from '../../format-input.ts';
import { type SheetMerge, type SheetRow, sheetDrafts } from '../../sheet-drafts.ts';
import { shownNumber } from './number-format.ts';
import { openWorkbook, stringOf, type Workbook } from './workbook.ts';

export async function* readXlsx(input: FormatInput): AsyncGenerator<Draft> {
  const archive = await openZipArchive(input.path, input.mostBytes);
  try {
    const workbook = await openWorkbook(archive);
    for (const [index, { name, part }] of workbook.sheets.entries()) {
      const source = (await archive.text(part)) ?? '';
      for (const draft of sheetDrafts(rowsOf(source, workbook), mergesOf(source))) {
        yield { ...draft, page: index + 1, pageName: name };
      }
    }
  } finally {
    archive.close();
  }
}

function* rowsOf(source: string, workbook: Workbook): Generator<SheetRow> {
  let index = -1;
  for (const node of xmlNodes(source, new Set(['row']))) {
    index = node.attributes.r ? Number(node.attributes.r) - 1 : index + 1;
    const cells: SheetRow['cells'] = [];
    let column = -1;
    for (const cell of childNodes(node)) {
      if (cell.name !== 'c') continue;
      column = columnOf(cell.attributes.r) ?? column + 1;
      const text = cellText(cell, workbook).replace(/\s+/gu, ' ').trim();
      if (text !== '') cells.push({ column, text });
    }
    yield { index, cells };
  }
}

function cellText(cell: MarkupNode, { strings, kinds, from1904 }: Workbook): string {
  const { t, s } = cell.attributes;
  if (t === 'inlineStr') {
    const inline = child(cell, 'is');
    return inline ? stringOf(inline) : '';
  }
  const raw = child(cell, 'v')?.children.join('') ?? '';
  if (t === 's') return strings[Number(raw)] ?? '';
  if (t === 'b') return raw === '1' ? 'TRUE' : raw === '0' ? 'FALSE' : raw;
  if (t === 'str' || t === 'e' || t === 'd') return raw;
  return shownNumber(raw, kinds[Number(s ?? 0)] ?? 'number', from1904);
}

/** Merged cells are listed after the rows, where a reader of one row after the other would need them before. */
function mergesOf(source: string): SheetMerge[] {
  const merges: SheetMerge[] = [];
  for (const [, from, to] of source.matchAll(/<mergeCell\s[^>]*?ref="([A-Z]+\d+):([A-Z]+\d+)"/g)) {
    const [top, left] = [rowOf(from), columnOf(from) ?? 0];
    merges.push({ top, left, bottom: rowOf(to), right: columnOf(to) ?? left });
  }
  return merges;
}

const rowOf = (reference: string | undefined) => Number(/\d+/.exec(reference ?? '')?.[0] ?? 1) - 1;

function columnOf(reference: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? '')?.[0];
  if (!letters) return undefined;
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return column - 1;
}

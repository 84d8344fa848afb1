import type { Draft } from '../../../drafts/draft.ts';
import { RichText } from '../../../drafts/rich-text.ts';
import { tableDraft } from '../../../drafts/table-draft.ts';
import { child, childNodes, descendants, type MarkupNode } from '../../../markup/markup-node.ts';
import type { Relationship } from '../relationships.ts';
import { readParagraph } from './paragraph.ts';
import { isOn, value } from './styles.ts';

interface Cell {
  text: string;
  rowSpan: number;
  columnSpan: number;
}

export function readTable(node: MarkupNode, links: ReadonlyMap<string, Relationship>): Draft | undefined {
  const rows: Cell[][] = [];
  /** Per column, the cell that a vertical merge continues. */
  const above = new Map<number, Cell>();
  let headerRows = 0;
  for (const row of rowsOf(node)) {
    if (isOn(child(row, 'w:trPr', 'w:tblHeader')) && headerRows === rows.length) headerRows++;
    const cells: Cell[] = [];
    let column = Number(value(child(row, 'w:trPr', 'w:gridBefore')) ?? 0);
    for (let missing = 0; missing < column && missing < 100; missing++)
      cells.push({ text: '', rowSpan: 1, columnSpan: 1 });
    for (const it of cellsOf(row)) {
      const properties = child(it, 'w:tcPr');
      const columnSpan = Math.max(1, Number(value(child(properties, 'w:gridSpan')) ?? 1) || 1);
      const merge = child(properties, 'w:vMerge');
      const merged = merge && (value(merge) ?? 'continue') === 'continue' ? above.get(column) : undefined;
      if (merged) merged.rowSpan++;
      else {
        const cell = { text: cellText(it, links), rowSpan: 1, columnSpan };
        cells.push(cell);
        above.set(column, cell);
      }
      column += columnSpan;
    }
    rows.push(cells);
  }
  if (headerRows === 0 && rows.length > 1 && firstRowIsHeading(node)) headerRows = 1;
  return tableDraft(rows, headerRows);
}

function* rowsOf(table: MarkupNode): Generator<MarkupNode> {
  for (const it of childNodes(table)) {
    if (it.name === 'w:tr') yield it;
    else if (/^w:(?:sdt|sdtContent|ins|customXml)$/.test(it.name)) yield* rowsOf(it);
  }
}

function* cellsOf(row: MarkupNode): Generator<MarkupNode> {
  for (const it of childNodes(row)) {
    if (it.name === 'w:tc') yield it;
    else if (/^w:(?:sdt|sdtContent|customXml)$/.test(it.name)) yield* cellsOf(it);
  }
}

function cellText(cell: MarkupNode, links: ReadonlyMap<string, Relationship>): string {
  const text = new RichText();
  for (const paragraph of descendants(cell, 'w:p')) {
    text.add(`${readParagraph(paragraph, undefined, links).text.take().text} `);
  }
  return text.take().text;
}

/** Whether the table's style formats the first row as a heading. */
function firstRowIsHeading(table: MarkupNode): boolean {
  const look = child(table, 'w:tblPr', 'w:tblLook')?.attributes;
  if (!look) return false;
  return look['w:firstRow'] === '1' || (Number.parseInt(look['w:val'] ?? '0', 16) & 0x20) !== 0;
}

import type { Draft } from '../../drafts/draft.ts';
import { tableDraft } from '../../drafts/table-draft.ts';
import { childNodes, isNode, type MarkupNode } from '../../markup/markup-node.ts';

export interface HtmlTable {
  draft?: Draft;
  captions: MarkupNode[];
  /** The only cell, if the table has no more than one. */
  single?: MarkupNode;
}

export function htmlTable(table: MarkupNode): HtmlTable {
  const rows = [...rowsOf(table)];
  const cells = rows.map(({ row }) => childNodes(row).filter(({ name }) => name === 'td' || name === 'th'));
  const captions = childNodes(table).filter(({ name }) => name === 'caption');
  const all = cells.flat();
  if (all.length === 1) return { captions, single: all[0] };
  const grid = cells.map((row) =>
    row.map((cell) => ({
      text: cellText(cell)
        .replace(/[\s\u00a0]+/gu, ' ')
        .trim(),
      rowSpan: spanOf(cell.attributes.rowspan),
      columnSpan: spanOf(cell.attributes.colspan),
    })),
  );
  let headerRows = 0;
  while (headerRows < rows.length && isHeading(rows[headerRows]?.section, cells[headerRows] ?? []))
    headerRows++;
  return { captions, draft: tableDraft(grid, headerRows === rows.length ? 0 : headerRows) };
}

function* rowsOf(table: MarkupNode): Generator<{ row: MarkupNode; section?: string }> {
  for (const it of childNodes(table)) {
    if (it.name === 'tr') yield { row: it };
    else if (/^t(?:head|body|foot)$/.test(it.name)) {
      for (const row of childNodes(it)) if (row.name === 'tr') yield { row, section: it.name };
    }
  }
}

const isHeading = (section: string | undefined, cells: MarkupNode[]) =>
  section === 'thead' || (cells.length > 0 && cells.every(({ name }) => name === 'th'));

const spanOf = (value: string | undefined) => Math.max(1, Number.parseInt(value ?? '1', 10) || 1);

const breaks = /^(?:br|p|div|li|tr|td|th|h[1-6])$/;

function cellText(node: MarkupNode): string {
  let text = '';
  for (const it of node.children) {
    if (!isNode(it)) text += it;
    else if (it.name === 'img') text += ` ${it.attributes.alt ?? ''} `;
    else if (!/^(?:script|style|template)$/.test(it.name)) {
      text += breaks.test(it.name) ? ` ${cellText(it)} ` : cellText(it);
    }
  }
  return text;
}

import type { Draft } from '../../drafts/draft.ts';
import { tableDraft } from '../../drafts/table-draft.ts';
import { childNodes, descendants, type MarkupNode } from '../../markup/markup-node.ts';
import { odfText } from './odf-paragraph.ts';

const mostRepeats = 1_000;

/** A table of a text document or of a slide. */
export function odfTable(table: MarkupNode): Draft | undefined {
  let headerRows = 0;
  const rows = [...rowsOf(table)].map(({ row, heading }, index) => {
    if (heading && headerRows === index) headerRows++;
    return cellsOf(row);
  });
  return tableDraft(rows, headerRows === rows.length ? 0 : headerRows);
}

export function* rowsOf(
  table: MarkupNode,
  heading = false,
): Generator<{ row: MarkupNode; heading: boolean }> {
  for (const it of childNodes(table)) {
    if (it.name === 'table:table-row') yield { row: it, heading };
    else if (/^table:table-(?:header-rows|rows|row-group)$/.test(it.name)) {
      yield* rowsOf(it, heading || it.name === 'table:table-header-rows');
    }
  }
}

function cellsOf(row: MarkupNode) {
  return childNodes(row)
    .filter(({ name }) => name === 'table:table-cell')
    .flatMap((cell) => {
      const times = Math.min(Number(cell.attributes['table:number-columns-repeated'] ?? 1) || 1, mostRepeats);
      return Array.from({ length: times }, () => ({
        text: cellText(cell),
        rowSpan: Number(cell.attributes['table:number-rows-spanned'] ?? 1) || 1,
        columnSpan: Number(cell.attributes['table:number-columns-spanned'] ?? 1) || 1,
      }));
    });
}

export const cellText = (cell: MarkupNode): string =>
  [...descendants(cell, 'text:p'), ...descendants(cell, 'text:h')].map(odfText).filter(Boolean).join(' ');

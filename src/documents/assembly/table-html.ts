import type { TableCells } from '../element.ts';

/** A table as HTML, with the cells that span rows or columns. */
export function tableHtml(table: TableCells): string {
  const rows = Array.from({ length: table.rows }, (_, row) => {
    const tag = row < table.headerRows ? 'th' : 'td';
    const cells = table.cells
      .filter((cell) => cell.row === row)
      .map((cell) => {
        const spans =
          (cell.rowSpan > 1 ? ` rowspan="${cell.rowSpan}"` : '') +
          (cell.columnSpan > 1 ? ` colspan="${cell.columnSpan}"` : '');
        return `<${tag}${spans}>${escaped(cell.text)}</${tag}>`;
      });
    return `<tr>${cells.join('')}</tr>`;
  });
  const head = rows.slice(0, table.headerRows).join('');
  const body = rows.slice(table.headerRows).join('');
  return `<table>${head ? `<thead>${head}</thead>` : ''}<tbody>${body}</tbody></table>`;
}

/** The text of a table for search: cells of a row separated by spaces, rows by line breaks. */
export function tableText(table: TableCells): string {
  return Array.from({ length: table.rows }, (_, row) =>
    table.cells
      .filter((cell) => cell.row === row && cell.text !== '')
      .map((cell) => cell.text)
      .join(' '),
  )
    .filter(Boolean)
    .join('\n');
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

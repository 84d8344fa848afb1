import type { Word } from '../page-content.ts';
import { cutRow, type Row, rowsOf } from '../rows.ts';

const pattern =
  /^(?:page|p\.|стр(?:аница|\.)?|с\.)?\s*[-–—[(|]?\s*(?:\d{1,4}|[ivxlc]{1,6})\s*[-–—\])|]?(?:\s*(?:of|из|\/)\s*\d{1,4})?\.?$/i;

export const isPageNumber = (text: string): boolean => pattern.test(text.trim());

/** The first and the last line of a page stand within this part of it if they are running lines. */
const band = 0.1;
/** In font sizes: between a running line and the number on it, and between it and the text of the page. */
const [numberGap, textGap] = [2.5, 1.9];

/** Page numbers on the same line as a header or footer, such as "Annual report       7". */
export function numbersBeside(words: Word[], pageHeight: number): { row: Row; atTop: boolean }[] {
  const rows = rowsOf(words);
  const found = (row: Row | undefined, next: Row | undefined, atTop: boolean) => {
    if (!row || (next && Math.abs(next.baseline - row.baseline) < textGap * row.size)) return [];
    const edge = atTop ? row.box.bottom : pageHeight - row.box.top;
    const parts = edge < band * pageHeight ? cutRow(row, numberGap) : [];
    if (parts.length < 2) return [];
    return [parts[0], parts.at(-1)]
      .filter((part) => part !== undefined && isPageNumber(part.words.map((word) => word.text).join(' ')))
      .slice(-1)
      .map((part) => ({ row: part as Row, atTop }));
  };
  return [...found(rows[0], rows[1], true), ...found(rows.at(-1), rows.at(-2), false)];
}

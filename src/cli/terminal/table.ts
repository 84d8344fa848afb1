import { visibleInLine } from './visible.ts';

/** Formats rows under headings, with each column as wide as its widest cell. */
export function table(headings: string[], rows: string[][]): string {
  const all = [headings, ...rows].map((row) => row.map(visibleInLine));
  const widths = headings.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const inOneLine = (row: string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  return all.map((row) => inOneLine(row).trimEnd()).join('\n');
}

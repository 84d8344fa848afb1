import type { Draft } from '../../drafts/draft.ts';
import { tableDraft } from '../../drafts/table-draft.ts';

export const isGridBorder = (line: string): boolean => /^\+(?:[-=]+\+)+\s*$/.test(line);
export const isSimpleBorder = (line: string): boolean => /^=+(?: +=+)+\s*$/.test(line);

/** A table drawn with `+---+`. Cells that span columns are kept; spans of rows are read as separate cells. */
export function gridTable(lines: readonly string[]): Draft | undefined {
  const edges = new Set<number>();
  for (const line of lines) {
    if (!/^\+[-=+]+$/.test(line.trim())) continue;
    for (const { index } of line.matchAll(/\+/g)) edges.add(index);
  }
  const stops = [...edges].sort((a, b) => a - b);
  const rows: { text: string; columnSpan: number }[][] = [];
  let headerRows = 0;
  let current: string[] = [];
  for (const line of lines) {
    if (!isGridBorder(line)) {
      current.push(line);
      continue;
    }
    if (current.length > 0) rows.push(gridRow(current, stops));
    if (line.includes('=')) headerRows = rows.length;
    current = [];
  }
  return tableDraft(rows, headerRows);
}

function gridRow(lines: readonly string[], stops: readonly number[]) {
  const cells: { text: string; columnSpan: number }[] = [];
  let start = 0;
  for (let end = 1; end < stops.length; end++) {
    const at = stops[end] ?? 0;
    if (!lines.some((line) => line[at] === '|' || line[at] === '+')) continue;
    const text = lines
      .map((line) => line.slice((stops[start] ?? 0) + 1, at).trim())
      .filter(Boolean)
      .join(' ');
    cells.push({ text, columnSpan: end - start });
    start = end;
  }
  return cells;
}

/** A table between lines of `=== ===`. */
export function simpleTable(lines: readonly string[]): Draft | undefined {
  const starts = [...(lines[0] ?? '').matchAll(/=+/g)].map(({ index }) => index);
  const borders = lines.filter(isSimpleBorder).length;
  const rows: { text: string }[][] = [];
  let headerRows = 0;
  for (const line of lines.slice(1)) {
    if (isSimpleBorder(line)) {
      if (borders > 2 && headerRows === 0) headerRows = rows.length;
      continue;
    }
    if (/^[- ]*$/.test(line)) continue;
    const cells = starts.map((start, index) => ({ text: line.slice(start, starts[index + 1]).trim() }));
    const last = rows.at(-1);
    // A row without a first cell continues the one above.
    if (cells[0]?.text === '' && last) {
      cells.forEach(({ text }, index) => {
        const cell = last[index];
        if (cell && text) cell.text += ` ${text}`;
      });
    } else rows.push(cells);
  }
  return tableDraft(rows, headerRows);
}

import type { Box } from '../../element.ts';
import type { Row } from '../rows.ts';

/** A row, and the parts that wide gaps cut it into. */
export interface CutRow {
  row: Row;
  parts: Row[];
}

/**
 * Up to a rule across the table first, then the longest run. What follows a table may look like more of it, so then
 * shorter ones, up to single lines.
 */
export function possibleEnds(cut: CutRow[], from: number, rules: Box[]): number[] {
  const longest = endOfRun(cut, from);
  const { box } = (cut[from] as CutRow).row;
  const across = rules.filter((rule) => rule.left < box.left + 15 && rule.right > box.right - 15);
  const last = across.filter((rule) => rule.top < (cut[longest - 1] as CutRow).row.box.bottom + 14).at(-1);
  const ruled = cut.findIndex(
    ({ row }, index) => index > from && last !== undefined && row.box.top > last.top - 2,
  );
  const ends = ruled > from + 2 && ruled < longest ? [ruled, longest] : [longest];
  for (let to = longest - 1; to > from + 2 && ends.length < 6; to -= 1)
    if ((cut[to] as CutRow).parts.length === 1 && (cut[to - 1] as CutRow).parts.length > 1) ends.push(to);
  return ends;
}

/** A run goes on while rows have several parts, or one that may be a wrapped cell, and are not far apart. */
function endOfRun(cut: CutRow[], from: number): number {
  let end = from + 1;
  let single = 0;
  for (let index = from + 1; index < cut.length; index += 1) {
    const { row, parts } = cut[index] as CutRow;
    const previous = (cut[index - 1] as CutRow).row;
    if (row.baseline - previous.baseline > 3.2 * Math.max(row.size, previous.size)) break;
    if (parts.length > 1) {
      end = index + 1;
      single = 0;
      continue;
    }
    single += 1;
    const pitch = (previous.baseline - (cut[from] as CutRow).row.baseline) / Math.max(1, index - 1 - from);
    const apart = index > from + 2 && row.baseline - previous.baseline > 1.35 * pitch;
    if (single > 3 || apart) break;
  }
  return lastWrapped(cut, from, end);
}

/** Wrapped lines below the last row belong to it if they stand in one of its columns, not the first. */
function lastWrapped(cut: CutRow[], from: number, end: number): number {
  const last = cut[end - 1] as CutRow;
  let to = end;
  while (to < cut.length) {
    const { row } = cut[to] as CutRow;
    const previous = (cut[to - 1] as CutRow).row;
    const column = last.parts.slice(1).find((part) => Math.abs(part.box.left - row.box.left) < 2);
    const next = last.parts[last.parts.indexOf(column as Row) + 1];
    const fits = column && (!next || row.box.right < next.box.left);
    if (!fits || row.baseline - previous.baseline > 1.35 * row.size) break;
    to += 1;
  }
  return Math.max(to, from + 1);
}

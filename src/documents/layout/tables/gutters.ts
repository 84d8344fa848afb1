import type { Box } from '../../element.ts';
import type { Row } from '../rows.ts';

/** A vertical strip without text. */
export interface Gutter {
  from: number;
  to: number;
}

/** Narrower strips are spaces between words that happen to stand below each other. */
const narrowest = 0.7;

/**
 * The strips that the words of (nearly) no row cross. In longer runs a few rows may, such as a heading over two
 * columns.
 */
export function gutters(rows: Row[], box: Box): Gutter[] {
  const start = Math.floor(box.left);
  const covered = new Uint16Array(Math.ceil(box.right) - start + 2);
  for (const row of rows)
    for (const { from, to } of inkOf(row))
      for (let x = Math.max(0, Math.floor(from - start)); x <= Math.ceil(to - start) - 1; x += 1)
        covered[x] = (covered[x] ?? 0) + 1;
  const allowed = rows.length >= 4 ? Math.floor(rows.length * 0.25) : 0;
  const size = Math.max(...rows.map((row) => row.size), 1);
  const found: Gutter[] = [];
  let from = -1;
  for (let x = 0; x < covered.length; x += 1) {
    const free = (covered[x] as number) <= allowed;
    if (free && from < 0) from = x;
    if (free || from < 0) continue;
    if (from > 0 && x - from >= narrowest * size) found.push({ from: from + start, to: x + start });
    from = -1;
  }
  return found.filter((gutter) => separates(rows, gutter));
}

/** Words of a row, those with an ordinary space between them joined. */
function inkOf(row: Row): Gutter[] {
  const ink: Gutter[] = [];
  for (const { box } of row.words) {
    const last = ink.at(-1);
    if (last && box.left - last.to < 0.6 * row.size) last.to = Math.max(last.to, box.right);
    else ink.push({ from: box.left, to: box.right });
  }
  return ink;
}

/** At least two rows, and a third of all, have words on both sides. */
function separates(rows: Row[], { from, to }: Gutter): boolean {
  const both = rows.filter(
    ({ words }) =>
      words.some((word) => word.box.right <= from + 1) && words.some((word) => word.box.left >= to - 1),
  );
  return both.length >= Math.max(2, rows.length / 3);
}

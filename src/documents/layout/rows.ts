import type { Box } from '../element.ts';
import { union } from './geometry.ts';
import type { Word } from './page-content.ts';

/** Words on one baseline, from left to right. */
export interface Row {
  words: Word[];
  box: Box;
  baseline: number;
  size: number;
}

/** A gap of this many font sizes between two detected lines separates them. */
const detectedGap = 0.4;

/** Groups words by their baseline, from top to bottom. Small raised or lowered words join the row they touch. */
export function rowsOf(words: Word[]): Row[] {
  const rows: Word[][] = [];
  const open: { baseline: number; size: number; words: Word[] }[] = [];
  const large = words.toSorted((a, b) => a.baseline - b.baseline || a.box.left - b.box.left);
  for (const word of large) {
    const { size } = word.style;
    // Only the last few rows can still be near.
    const near = open.slice(-6).findLast((row) => belongs(word, row));
    if (near) {
      near.words.push(word);
      if (size > near.size) {
        near.size = size;
        near.baseline = word.baseline;
      }
    } else {
      const row = { baseline: word.baseline, size, words: [word] };
      open.push(row);
      rows.push(row.words);
    }
  }
  return attachSmall(rows.map(toRow)).toSorted((a, b) => a.baseline - b.baseline);
}

/** Footnote marks that came before the words they belong to. */
function attachSmall(rows: Row[]): Row[] {
  const attached = new Map<Row, Word[]>();
  for (const small of rows) {
    const home = rows.find(
      (row) => small.size < 0.88 * row.size && small.words.every((word) => belongs(word, row)),
    );
    if (!home || small.words.length > 3) continue;
    attached.set(home, [...(attached.get(home) ?? []), ...small.words]);
    attached.set(small, []);
  }
  if (attached.size === 0) return rows;
  return rows.flatMap((row) => {
    const more = attached.get(row);
    if (!more) return [row];
    return more.length === 0 ? [] : [toRow([...row.words, ...more])];
  });
}

/** Same baseline; or a small word, such as a footnote mark, within the height of the row. */
function belongs(word: Word, row: { baseline: number; size: number; words: Word[] }): boolean {
  const distance = Math.abs(word.baseline - row.baseline);
  const [small, big] = [Math.min(word.style.size, row.size), Math.max(word.style.size, row.size)];
  if (distance <= 0.25 * small) return true;
  if (small > 0.88 * big || distance > 0.5 * big) return false;
  return row.words.some((other) => {
    const gap = Math.max(word.box.left - other.box.right, other.box.left - word.box.right);
    return gap < 0.45 * big;
  });
}

export function toRow(words: Word[]): Row {
  const sorted = words.toSorted((a, b) => a.box.left - b.box.left);
  const main = sorted.reduce((best, word) => (weight(word) > weight(best) ? word : best));
  return {
    words: sorted,
    box: union(sorted.map((word) => word.box)),
    baseline: main.baseline,
    size: main.style.size,
  };
}

const weight = (word: Word) => word.text.length * word.style.size ** 2;

/** Cuts a row where the gap between two words is wider than so many font sizes, or a detected line ends. */
export function cutRow(row: Row, gap: number): Row[] {
  const parts: Word[][] = [];
  let right = -Infinity;
  let previous: Word | undefined;
  for (const word of row.words) {
    const other = previous?.line !== undefined && word.line !== undefined && previous.line !== word.line;
    const limit = other ? Math.min(gap, detectedGap) : gap;
    if (word.box.left - right > limit * row.size || parts.length === 0) parts.push([]);
    parts.at(-1)?.push(word);
    right = Math.max(right, word.box.right);
    previous = word;
  }
  return parts.length === 1 ? [row] : parts.map(toRow);
}

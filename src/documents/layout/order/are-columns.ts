import { height, median, shared, union, width } from '../geometry.ts';
import type { Row } from '../rows.ts';
import { linesOf, type Placed } from './placed.ts';

/** Whether what stands on both sides of a cut is two columns, not parts of one text, form or table. */
export function areColumns(left: Placed[], right: Placed[]): boolean {
  if (left.length === 0 || right.length === 0) return false;
  const [a, b] = [union(left.map((item) => item.box)), union(right.map((item) => item.box))];
  const beside = shared(a.top, a.bottom, b.top, b.bottom);
  const shorter = Math.min(height(a), height(b));
  if (beside < 0.5 * shorter || beside <= 0) return false;
  if (left.some((item) => !item.row) || right.some((item) => !item.row)) return true;
  const size = median([...left, ...right].map((item) => item.row?.size ?? 10));
  const fewest = Math.min(linesOf(left).length, linesOf(right).length);
  if (sizesDiffer(left, right)) return true;
  // Wide spaces in a few lines of justified text may stand below each other.
  if (b.left - a.right < 1.5 * size && fewest < 5 && onCommonBaselines(left, right)) return false;
  return proseBeside(left, right) || proseBeside(right, left) || !onCommonBaselines(left, right);
}

/** Notes beside a text are smaller. */
function sizesDiffer(left: Placed[], right: Placed[]): boolean {
  const [a, b] = [left, right].map((side) => median(side.map((item) => item.row?.size ?? 10))) as [
    number,
    number,
  ];
  return Math.max(a, b) > 1.12 * Math.min(a, b) && left.length > 1 && right.length > 1;
}

const characters = (row: Row) => row.words.reduce((sum, word) => sum + word.text.length + 1, 0);

/** One side is prose of several lines; the other is text as well, not only markers or numbers. */
function proseBeside(side: Placed[], other: Placed[]): boolean {
  const [lines, others] = [linesOf(side), linesOf(other)];
  if (lines.length < 3) return false;
  const room = width(union(lines.map((line) => line.box)));
  const full = lines.filter((line) => width(line.box) > 0.7 * room && characters(line) > 18);
  const wordy = others.filter((line) => characters(line) > 8).length;
  return (
    full.length >= 0.5 * lines.length && wordy >= 0.6 * others.length && median(others.map(characters)) > 10
  );
}

/** Rows of forms and tables stand on common baselines; notes beside a text rarely do. */
function onCommonBaselines(left: Placed[], right: Placed[]): boolean {
  const [few, many] = left.length < right.length ? [left, right] : [right, left];
  const common = few.filter((item) =>
    many.some((other) => Math.abs((item.row?.baseline ?? 0) - (other.row?.baseline ?? 0)) < 1),
  );
  return common.length > 0.4 * few.length || few.length < 2;
}

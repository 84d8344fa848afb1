import { union, width } from '../geometry.ts';
import { areColumns } from './are-columns.ts';
import { floatBetween, headAbove, tailBelow } from './column-ends.ts';
import type { Placed } from './placed.ts';

export interface Columns<Item> {
  before: Item[];
  sides: Item[][];
  after: Item[];
}

/** The two columns beside a cut, if they are columns. */
export function divideColumns<Item extends Placed>(
  sorted: Item[],
  from: number,
  to: number,
  cut: number,
): Columns<Item> | undefined {
  const end = floatBetween(sorted, from, to, cut);
  const stretch = sorted.slice(from, end);
  let left = stretch.filter((item) => item.box.right <= cut);
  let right = stretch.filter((item) => item.box.left >= cut);
  const reached = end < sorted.length;
  const tail = tailBelow(left, right, reached);
  if (tail.length > 0) {
    left = left.filter((item) => !tail.includes(item));
    right = right.filter((item) => !tail.includes(item));
  }
  const head = headAbove(left, right);
  left = left.filter((item) => !head.includes(item));
  if (!areColumns(left, right)) return undefined;
  const after = [...tail, ...sorted.slice(end)];
  const sides = isMarginal(left, right) ? [right, left] : [left, right];
  return { before: [...sorted.slice(0, from), ...head], sides, after };
}

/** A narrow column with little text is a note in the margin, and read after what it stands beside. */
function isMarginal(left: Placed[], right: Placed[]): boolean {
  const [a, b] = [union(left.map((item) => item.box)), union(right.map((item) => item.box))];
  return width(a) < 0.35 * width(b) && left.length < 0.6 * right.length;
}

import { findColumns } from './find-columns.ts';
import type { Placed } from './placed.ts';

/** Orders the contents of a page: groups in reading order, each a column or a stretch across the page. */
export function readingOrder<Item extends Placed>(items: Item[], depth = 0): Item[][] {
  const sorted = items.toSorted((a, b) => a.box.top - b.box.top || a.box.left - b.box.left);
  const columns = depth > 6 ? undefined : findColumns(sorted);
  if (!columns) return sorted.length > 0 ? [sorted] : [];
  const { before, sides, after } = columns;
  return [
    ...readingOrder(before, depth + 1),
    ...sides.flatMap((side) => readingOrder(side, depth + 1)),
    ...readingOrder(after, depth + 1),
  ];
}

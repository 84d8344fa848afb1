import { median } from '../geometry.ts';
import { linesOf, type Placed } from './placed.ts';

/** A table or picture has no more lines of text above it that belong to it. */
const mostCaptionLines = 3;

/**
 * A narrow table or picture between columns that end above it and begin again below it looks like part of one of
 * them, but the other column is empty beside it. The columns end at its first line, such as a caption.
 */
export function floatBetween(sorted: Placed[], from: number, to: number, cut: number): number {
  const stretch = sorted.slice(from, to);
  for (const float of stretch.filter((item) => !item.row)) {
    const others = stretch.filter((item) => item.box.left >= cut !== float.box.left >= cut);
    const above = others.filter((item) => item.box.bottom <= float.box.top);
    const below = others.filter((item) => item.box.top >= float.box.bottom);
    if (above.length === 0 || below.length === 0 || above.length + below.length < others.length) continue;
    const end = Math.max(...above.map((item) => item.box.bottom));
    const first = stretch.findIndex((item) => item.box.top >= end);
    const own = stretch.slice(first, stretch.indexOf(float));
    const level = stretch.slice(0, first).every((item) => item.box.bottom <= end + 1);
    if (level && linesOf(own).length <= mostCaptionLines && !own.some((item) => !item.row))
      return from + first;
  }
  return to;
}

/** Items above the other column, such as the heading over both, come first anyway: they are kept out of the test. */
export function headAbove<Item extends Placed>(left: Item[], right: Item[]): Item[] {
  const top = Math.min(...right.map((item) => item.box.top));
  return left.filter((item) => item.box.bottom < top);
}

/**
 * What stands below both columns without being part of either. Columns above a full line end level; what follows
 * after a wider gap is not their continuation.
 */
export function tailBelow<Item extends Placed>(left: Item[], right: Item[], beforeFullLine: boolean): Item[] {
  for (const [side, other] of [
    [left, right],
    [right, left],
  ] as const) {
    const end = Math.max(...other.map((item) => item.box.bottom));
    const size = median(side.map((item) => item.row?.size ?? 10));
    let last = -Infinity;
    for (const [index, item] of side.entries()) {
      const { top, bottom } = extent(item);
      const level = Math.abs(last - end) < 2.2 * size;
      if (index > 0 && top >= end - 1 && top - last > 0.5 * size && (level || beforeFullLine))
        return side.slice(index);
      last = Math.max(last, bottom);
    }
  }
  return [];
}

/** Boxes of words on scans are as high as their letters: lines without tall ones seem to be farther apart. */
function extent({ box, row }: Placed): { top: number; bottom: number } {
  if (row?.words[0]?.line === undefined) return box;
  return {
    top: Math.min(box.top, row.baseline - 0.9 * row.size),
    bottom: Math.max(box.bottom, row.baseline + 0.25 * row.size),
  };
}

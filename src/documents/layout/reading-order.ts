import type { Box } from '../element.ts';
import { height, median, shared, union, width } from './geometry.ts';
import { type Row, rowsOf } from './rows.ts';

/** Something with a place on the page: a part of a row, or a table or picture that must stay whole. */
export interface Placed {
  box: Box;
  /** The text, if it is one. */
  row?: Row;
}

/** Which rows are cut at gaps of this many font sizes, to see columns. */
export const columnGap = 0.85;

/** Wider items, as a share of the region's width, can't be part of a column. */
const widest = 0.8;

/** A table or picture has no more lines of text above it that belong to it. */
const mostCaptionLines = 3;

/** Pages of many small parts, such as tables, would take long otherwise. */
const mostTries = 60;

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

interface Columns<Item> {
  before: Item[];
  sides: Item[][];
  after: Item[];
}

/** The longest stretch, from top to bottom, through which a strip without text runs. */
export function findColumns<Item extends Placed>(sorted: Item[]): Columns<Item> | undefined {
  let best: Columns<Item> | undefined;
  let [most, tries] = [0, 0];
  const room = width(union(sorted.map((item) => item.box)));
  const isWide = (item: Placed) => width(item.box) > widest * room;
  for (let from = 0; from < sorted.length - 1; ) {
    if (isWide(sorted[from] as Placed)) {
      from += 1;
      continue;
    }
    const { to, cut } = stretchFrom(sorted, from, isWide);
    const found = cut === undefined ? undefined : divide(sorted, from, to, cut);
    if (found && to - from > most) {
      best = found;
      most = to - from;
    }
    // What stands above columns, such as a heading or the end of a paragraph, may narrow or hide the strip between
    // them: then the search begins again one line lower.
    tries += 1;
    const again = !found || found.before.length > from;
    from = again && tries < mostTries ? from + 1 : Math.max(to, from + 1);
  }
  return best;
}

/** Goes down while some strip stays free. The cut is in the middle of the widest one at the end. */
function stretchFrom(
  sorted: Placed[],
  from: number,
  isWide: (item: Placed) => boolean,
): { to: number; cut: number | undefined } {
  let ink: { from: number; to: number }[] = [];
  let cut: number | undefined;
  let to = from;
  for (; to < sorted.length; to += 1) {
    const { box } = sorted[to] as Placed;
    const next = addInk(ink, box.left, box.right);
    const closes = ink.length > 1 && next.length === 1;
    if (closes || isWide(sorted[to] as Placed)) break;
    ink = next;
  }
  const size = median(sorted.slice(from, to).map((item) => item.row?.size ?? 10));
  let broadest = Math.max(3.5, 0.45 * size);
  ink.slice(1).forEach((strip, index) => {
    const left = (ink[index] as { to: number }).to;
    if (strip.from - left > broadest) {
      broadest = strip.from - left;
      cut = (left + strip.from) / 2;
    }
  });
  return { to, cut };
}

function addInk(ink: { from: number; to: number }[], from: number, to: number) {
  const apart = ink.filter((strip) => strip.to < from || strip.from > to);
  const joined = ink.filter((strip) => !(strip.to < from || strip.from > to));
  const all = {
    from: Math.min(from, ...joined.map((s) => s.from)),
    to: Math.max(to, ...joined.map((s) => s.to)),
  };
  return [...apart, all].toSorted((a, b) => a.from - b.from);
}

function divide<Item extends Placed>(
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

/**
 * A narrow table or picture between columns that end above it and begin again below it looks like part of one of
 * them, but the other column is empty beside it. The columns end at its first line, such as a caption.
 */
function floatBetween(sorted: Placed[], from: number, to: number, cut: number): number {
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
function headAbove<Item extends Placed>(left: Item[], right: Item[]): Item[] {
  const top = Math.min(...right.map((item) => item.box.top));
  return left.filter((item) => item.box.bottom < top);
}

/**
 * What stands below both columns without being part of either. Columns above a full line end level; what follows
 * after a wider gap is not their continuation.
 */
function tailBelow<Item extends Placed>(left: Item[], right: Item[], beforeFullLine: boolean): Item[] {
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

function areColumns(left: Placed[], right: Placed[]): boolean {
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

/** The lines of a column. Wide spaces in justified text have cut some of them into parts. */
export const linesOf = (side: Placed[]): Row[] => rowsOf(side.flatMap((item) => item.row?.words ?? []));

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

/** A narrow column with little text is a note in the margin, and read after what it stands beside. */
function isMarginal(left: Placed[], right: Placed[]): boolean {
  const [a, b] = [union(left.map((item) => item.box)), union(right.map((item) => item.box))];
  return width(a) < 0.35 * width(b) && left.length < 0.6 * right.length;
}

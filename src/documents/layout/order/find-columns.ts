import { union, width } from '../geometry.ts';
import { type Columns, divideColumns } from './divide-columns.ts';
import { stretchFrom } from './free-strip.ts';
import type { Placed } from './placed.ts';

/** Rows are cut at gaps of this many font sizes, to see columns. */
export const columnGap = 0.85;

/** Wider items, as a share of the region's width, can't be part of a column. */
const widest = 0.8;

/** Pages of many small parts, such as tables, would take long otherwise. */
const mostTries = 60;

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
    const found = cut === undefined ? undefined : divideColumns(sorted, from, to, cut);
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

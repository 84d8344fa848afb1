import { median } from '../geometry.ts';
import type { Placed } from './placed.ts';

/** Goes down while some strip stays free. The cut is in the middle of the widest one at the end. */
export function stretchFrom(
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

import type { Box } from '../element.ts';

export const width = (box: Box): number => box.right - box.left;
export const height = (box: Box): number => box.bottom - box.top;
export const area = (box: Box): number => Math.max(0, width(box)) * Math.max(0, height(box));
export const middleX = (box: Box): number => (box.left + box.right) / 2;
export const middleY = (box: Box): number => (box.top + box.bottom) / 2;

export function union(boxes: Iterable<Box>): Box {
  const all = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (const box of boxes) {
    all.left = Math.min(all.left, box.left);
    all.top = Math.min(all.top, box.top);
    all.right = Math.max(all.right, box.right);
    all.bottom = Math.max(all.bottom, box.bottom);
  }
  return all;
}

export function overlap(a: Box, b: Box): number {
  const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  return across > 0 && down > 0 ? across * down : 0;
}

export const times = (box: Box, factor: number): Box => ({
  left: box.left * factor,
  top: box.top * factor,
  right: box.right * factor,
  bottom: box.bottom * factor,
});

/** The length that two intervals share; negative if they are apart. */
export const shared = (from: number, to: number, otherFrom: number, otherTo: number): number =>
  Math.min(to, otherTo) - Math.max(from, otherFrom);

export const contains = (outer: Box, x: number, y: number): boolean =>
  x >= outer.left && x <= outer.right && y >= outer.top && y <= outer.bottom;

export function median(values: number[]): number {
  if (values.length === 0) return 0;
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] as number;
}

/** A quarter turn, as the number of 90° steps clockwise. */
export type Quarter = 0 | 1 | 2 | 3;

/** Turns a box on a page of the given size counterclockwise, so that content turned clockwise stands upright. */
export function turnBack(box: Box, quarter: Quarter, pageWidth: number, pageHeight: number): Box {
  const { left, top, right, bottom } = box;
  if (quarter === 1) return { left: top, top: pageWidth - right, right: bottom, bottom: pageWidth - left };
  if (quarter === 2)
    return {
      left: pageWidth - right,
      top: pageHeight - bottom,
      right: pageWidth - left,
      bottom: pageHeight - top,
    };
  if (quarter === 3) return { left: pageHeight - bottom, top: left, right: pageHeight - top, bottom: right };
  return box;
}

import type { PageCanvas } from '../file/page-canvas.ts';
import type { SetTable } from './set-table.ts';

/** Something that stays on one page, such as a line. */
export interface Piece {
  /** Space above it, unless it stands at the top of a page. */
  gap: number;
  height: number;
  /** It stays on the page of what follows. */
  keep?: boolean;
  draw(canvas: PageCanvas, left: number, top: number): void;
}

/** A table, which may go over several pages. */
export interface TableItem {
  gap: number;
  left: number;
  table: SetTable;
  /** Draws what lies behind a part of it. */
  behind?(canvas: PageCanvas, left: number, top: number, height: number): void;
}

export type Item = Piece | TableItem;

export const isTable = (item: Item): item is TableItem => 'table' in item;

export const space = (height: number): Piece => ({ gap: 0, height, draw() {} });

/** The same, farther right. */
export function indented(item: Item, indent: number): Item {
  if (!isTable(item)) return { ...item, draw: (canvas, left, top) => item.draw(canvas, left + indent, top) };
  return {
    ...item,
    left: item.left + indent,
    behind: (canvas, left, top, height) => item.behind?.(canvas, left + indent, top, height),
  };
}

/** Draws something behind items, and behind the space between them. */
export function* backed(
  items: readonly Item[],
  behind: (canvas: PageCanvas, left: number, top: number, height: number) => void,
): Generator<Item> {
  let first = true;
  for (const item of items) {
    const gap = first ? 0 : item.gap;
    if (isTable(item)) {
      if (gap > 0) yield { gap: 0, height: gap, draw: (canvas, left, top) => behind(canvas, left, top, gap) };
      yield {
        ...item,
        gap: 0,
        behind(canvas, left, top, height) {
          behind(canvas, left, top, height);
          item.behind?.(canvas, left, top, height);
        },
      };
    } else {
      yield {
        ...item,
        gap: 0,
        height: item.height + gap,
        draw(canvas, left, top) {
          behind(canvas, left, top, item.height + gap);
          item.draw(canvas, left, top + gap);
        },
      };
    }
    first = false;
  }
}

import { follows } from '../layout/text/list-marker.ts';

export interface ItemPlace {
  marker: string;
  left: number;
  /** Items of one column share a value; positions are compared only within it. */
  column: number;
}

interface Level {
  left: number;
  column: number;
  marker: string;
}

/** Keeps track of how deep the items of a list are nested, by their indentation and their markers. */
export class ListNesting {
  #levels: Level[] = [];
  /** How deep each kind of bullet was first seen in this list. */
  readonly #bullets = new Map<string, number>();

  /** Anything that is not part of a list ends it. */
  end(): void {
    this.#levels = [];
    this.#bullets.clear();
  }

  depthOf({ marker, left, column }: ItemPlace): number {
    const level = this.#find(marker, left, column);
    this.#levels = this.#levels.slice(0, level);
    this.#levels.push({ left, column, marker });
    if (isBullet(marker) && !this.#bullets.has(marker)) this.#bullets.set(marker, level);
    return level;
  }

  #find(marker: string, left: number, column: number): number {
    const here = this.#levels.filter((level) => level.column === column);
    const beside = here.find((level) => Math.abs(level.left - left) < 4);
    if (beside) return this.#levels.indexOf(beside);
    // Right-aligned numbers: 10. begins farther left than 9.
    const counted = this.#levels.findLastIndex(
      (level) =>
        follows(level.marker, marker) && (level.column !== column || Math.abs(level.left - left) < 12),
    );
    if (counted >= 0) return counted;
    const inner = here.filter((level) => level.left < left - 4).length;
    const elsewhere = this.#levels.length - here.length;
    if (elsewhere === 0 || inner > 0) return elsewhere + inner;
    return this.#inNewColumn(marker, left);
  }

  /** In another column or on another page the markers tell, and the position where both pages have equal margins. */
  #inNewColumn(marker: string, left: number): number {
    const known = this.#bullets.get(marker);
    if (known !== undefined) return Math.min(known, this.#levels.length);
    const same = this.#levels.findIndex((level) => level.marker === marker);
    if (same >= 0) return same;
    return Math.max(
      0,
      this.#levels.findLastIndex((level) => Math.abs(level.left - left) < 1),
    );
  }
}

const isBullet = (marker: string) => !/[\d\p{L}]/u.test(marker);

import { follows } from '../layout/list-marker.ts';

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

  /** Anything that is not part of a list ends it. */
  end(): void {
    this.#levels = [];
  }

  depthOf({ marker, left, column }: ItemPlace): number {
    const level = this.#find(marker, left, column);
    this.#levels = this.#levels.slice(0, level);
    this.#levels.push({ left, column, marker });
    return level;
  }

  #find(marker: string, left: number, column: number): number {
    const last = this.#levels.at(-1);
    if (!last) return 0;
    if (last.column !== column) return this.#byMarker(marker);
    const outer = this.#levels.findIndex(
      (level) => level.column === column && Math.abs(level.left - left) < 4,
    );
    if (outer >= 0) return outer;
    const inner = this.#levels.filter((level) => level.column === column && level.left < left - 4).length;
    // Right-aligned numbers: 10. begins farther left than 9.
    const counted = this.#levels.findIndex(
      (level) =>
        follows(level.marker, marker) && (level.column !== column || Math.abs(level.left - left) < 12),
    );
    return counted >= 0
      ? counted
      : Math.max(inner, this.#levels.filter((level) => level.column !== column).length);
  }

  /** In another column or on another page only the markers can be compared. */
  #byMarker(marker: string): number {
    const counted = this.#levels.findLastIndex((level) => follows(level.marker, marker));
    if (counted >= 0) return counted;
    return Math.max(
      0,
      this.#levels.findIndex((level) => level.marker === marker),
    );
  }
}

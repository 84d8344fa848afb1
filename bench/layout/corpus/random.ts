/** Random numbers that follow from a seed. */
export class Random {
  #state: number;

  constructor(seed: string) {
    this.#state = 2166136261;
    for (const letter of seed)
      this.#state = Math.imul(this.#state ^ (letter.codePointAt(0) as number), 16777619);
  }

  /** From 0 to below 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number, both ends included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.between(0, items.length - 1)] as Item;
  }

  shuffle<Item>(items: readonly Item[]): Item[] {
    const result = [...items];
    for (let at = result.length - 1; at > 0; at -= 1) {
      const other = this.between(0, at);
      [result[at], result[other]] = [result[other] as Item, result[at] as Item];
    }
    return result;
  }
}

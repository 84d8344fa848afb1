import { Unavailable } from '../../../contracts/problems.ts';

/** How many keys with limits one process can count. */
export const mostRows = 65_536;

/** Which row of the shared memory belongs to which key. Only the main thread gives out rows; workers are told. */
export class KeyRows {
  readonly #rows = new Map<string, number>();
  readonly #onNew: (row: number, key: string) => void;

  constructor(onNew: (row: number, key: string) => void = () => undefined) {
    this.#onNew = onNew;
  }

  of(key: string): number {
    const known = this.#rows.get(key);
    if (known !== undefined) return known;
    const row = this.#rows.size;
    if (row >= mostRows) throw new Unavailable('too many keys with limits are in use', { retryAfter: 60 });
    this.#rows.set(key, row);
    this.#onNew(row, key);
    return row;
  }

  set(key: string, row: number): void {
    this.#rows.set(key, row);
  }

  entries(): Iterable<[string, number]> {
    return this.#rows;
  }
}

/** What a key has used so far. */
export interface KeyCount {
  /** In the present minute. */
  requests: number;
  tokens: number;
  /** In the present month. */
  monthTokens: number;
}

const cells = 4;
const [minute, requests, tokens, monthTokens] = [0, 1, 2, 3] as const;
const mostKeys = 65_536;

/** Counts by key in memory that the workers of a process share: a row of numbers for each key that has limits. */
export class KeyCounts {
  readonly buffer: SharedArrayBuffer;
  readonly #cells: BigInt64Array;

  constructor(buffer = new SharedArrayBuffer(mostKeys * cells * BigInt64Array.BYTES_PER_ELEMENT)) {
    this.buffer = buffer;
    this.#cells = new BigInt64Array(buffer);
  }

  of(row: number, now: number): KeyCount {
    const first = this.#turn(row, now);
    return {
      requests: this.#read(first + requests),
      tokens: this.#read(first + tokens),
      monthTokens: this.#read(first + monthTokens),
    };
  }

  addRequest(row: number): void {
    Atomics.add(this.#cells, row * cells + requests, 1n);
  }

  addTokens(row: number, used: number, now: number): void {
    const first = this.#turn(row, now);
    Atomics.add(this.#cells, first + tokens, BigInt(used));
    Atomics.add(this.#cells, first + monthTokens, BigInt(used));
  }

  /** What was used of the month so far, by this process and others. */
  setMonth(row: number, used: number): void {
    Atomics.store(this.#cells, row * cells + monthTokens, BigInt(used));
  }

  /** Begins a new minute where it is due; whoever notices first does. */
  #turn(row: number, now: number): number {
    const first = row * cells;
    const present = BigInt(Math.floor(now / 60_000));
    const before = Atomics.load(this.#cells, first + minute);
    if (
      before !== present &&
      Atomics.compareExchange(this.#cells, first + minute, before, present) === before
    ) {
      Atomics.store(this.#cells, first + requests, 0n);
      Atomics.store(this.#cells, first + tokens, 0n);
    }
    return first;
  }

  #read(cell: number): number {
    return Number(Atomics.load(this.#cells, cell));
  }
}

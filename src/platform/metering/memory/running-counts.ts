/** How many requests of each key run in each thread, so that those of a thread that ended can be given back. */
export class RunningCounts {
  readonly buffer: SharedArrayBuffer;
  readonly #cells: Int32Array;
  readonly #threads: number;

  constructor(rows: number, threads: number, buffer = new SharedArrayBuffer(4 * rows * threads)) {
    this.buffer = buffer;
    this.#cells = new Int32Array(buffer);
    this.#threads = threads;
  }

  add(row: number, thread: number, amount: number): void {
    Atomics.add(this.#cells, row * this.#threads + thread, amount);
  }

  total(row: number): number {
    let sum = 0;
    for (let thread = 0; thread < this.#threads; thread++) {
      sum += Atomics.load(this.#cells, row * this.#threads + thread);
    }
    return sum;
  }

  /** Empties a thread's count of a key and returns it. */
  clear(row: number, thread: number): number {
    return Atomics.exchange(this.#cells, row * this.#threads + thread, 0);
  }
}

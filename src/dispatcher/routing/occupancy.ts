const longestTable = 65_536;

/**
 * How many requests run on each pod, or for each key. The counters lie in memory that all workers of the process
 * share, a cell for each worker in each row, so that a limit holds for all of them together and a worker that ends
 * takes its own counts away.
 */
export class Occupancy {
  readonly buffer: SharedArrayBuffer;
  readonly #cells: Int32Array;
  readonly #workers: number;
  readonly #worker: number;

  constructor(workers = 1, worker = 0, buffer = new SharedArrayBuffer(4 * longestTable * workers)) {
    this.buffer = buffer;
    this.#cells = new Int32Array(buffer);
    this.#workers = workers;
    this.#worker = worker;
  }

  get rows(): number {
    return longestTable;
  }

  count(row: number): number {
    const first = row * this.#workers;
    let sum = this.#cells[first] as number;
    for (let worker = 1; worker < this.#workers; worker++) sum += this.#cells[first + worker] as number;
    return sum;
  }

  enter(row: number, most: number): boolean {
    Atomics.add(this.#cells, row * this.#workers + this.#worker, 1);
    if (this.count(row) <= most) return true;
    this.leave(row);
    return false;
  }

  leave(row: number): void {
    Atomics.sub(this.#cells, row * this.#workers + this.#worker, 1);
  }

  /** Forgets what a worker counted, once it is gone. */
  clearWorker(worker: number): void {
    for (let row = 0; row < longestTable; row++) this.#cells[row * this.#workers + worker] = 0;
  }

  clearRow(row: number): void {
    this.#cells.fill(0, row * this.#workers, (row + 1) * this.#workers);
  }
}

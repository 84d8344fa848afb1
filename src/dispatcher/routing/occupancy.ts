const maxRows = 65_536;

/**
 * Counts running requests per pod or per key. The counters are in memory shared by all workers, with one cell per
 * worker in each row: limits apply across workers, and the counts of a worker that ends can be cleared.
 */
export class Occupancy {
  readonly buffer: SharedArrayBuffer;
  readonly #cells: Int32Array;
  readonly #workers: number;
  readonly #worker: number;

  constructor(workers = 1, worker = 0, buffer = new SharedArrayBuffer(4 * maxRows * workers)) {
    this.buffer = buffer;
    this.#cells = new Int32Array(buffer);
    this.#workers = workers;
    this.#worker = worker;
  }

  get rows(): number {
    return maxRows;
  }

  count(row: number): number {
    const first = row * this.#workers;
    let sum = this.#cells[first] as number;
    for (let worker = 1; worker < this.#workers; worker++) sum += this.#cells[first + worker] as number;
    return sum;
  }

  enter(row: number, limit: number): boolean {
    Atomics.add(this.#cells, row * this.#workers + this.#worker, 1);
    if (this.count(row) <= limit) return true;
    this.leave(row);
    return false;
  }

  leave(row: number): void {
    Atomics.sub(this.#cells, row * this.#workers + this.#worker, 1);
  }

  /** Clears the counts of a worker that has ended. */
  clearWorker(worker: number): void {
    for (let row = 0; row < maxRows; row++) this.#cells[row * this.#workers + worker] = 0;
  }

  clearRow(row: number): void {
    this.#cells.fill(0, row * this.#workers, (row + 1) * this.#workers);
  }
}

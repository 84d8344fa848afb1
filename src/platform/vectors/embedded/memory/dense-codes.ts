import { OutOfSpace } from '../../../../contracts/problems.ts';
import { type Codes, quantiseQuery } from './quantise.ts';
import { type KernelMemory, type Scan, scanKernel } from './scan-kernel.ts';

const PAGE = 65_536;
/** The first page holds the query, of at most 16,384 codes, and from here the results of a block. The vectors follow. */
const RESULTS = 32_768;
const BLOCK = 4_096;

/** The vectors of a collection as 8-bit codes, by slot, in memory that the scan kernel reads. */
export class DenseCodes {
  readonly #memory: KernelMemory;
  readonly #scan: Scan;
  readonly #stride: number;
  /** 0 where a point has no vector. */
  #scales = new Float32Array(0);

  constructor(dimensions: number) {
    const { memory, scan } = scanKernel();
    this.#memory = memory;
    this.#scan = scan;
    this.#stride = Math.ceil(dimensions / 16) * 16;
  }

  get bytes(): number {
    return this.#memory.buffer.byteLength + this.#scales.byteLength;
  }

  has(slot: number): boolean {
    return (this.#scales[slot] ?? 0) > 0;
  }

  set(slot: number, { codes, scale }: Codes): void {
    this.#reserve(slot + 1);
    new Int8Array(this.#memory.buffer, this.#offset(slot), codes.length).set(codes);
    this.#scales[slot] = scale;
  }

  /** Moves a vector to a lower slot. */
  move(from: number, to: number): void {
    const scale = this.#scales[from] ?? 0;
    if (scale > 0) {
      const start = this.#offset(from);
      new Uint8Array(this.#memory.buffer).copyWithin(this.#offset(to), start, start + this.#stride);
    }
    if (to < this.#scales.length) this.#scales[to] = scale;
  }

  clear(from: number): void {
    this.#scales.fill(0, from);
  }

  /** Calls `visit` with the approximate cosine of each of the first `count` slots that has a vector. */
  scan(query: Float32Array, count: number, visit: (slot: number, score: number) => void): void {
    const queryScale = quantiseQuery(query, new Int16Array(this.#memory.buffer, 0, this.#stride));
    const results = new Int32Array(this.#memory.buffer, RESULTS, BLOCK);
    const scales = this.#scales;
    const end = Math.min(count, scales.length);
    for (let first = 0; first < end; first += BLOCK) {
      const size = Math.min(BLOCK, end - first);
      this.#scan(this.#offset(first), size, this.#stride, 0, RESULTS);
      for (let index = 0; index < size; index++) {
        const scale = scales[first + index] as number;
        if (scale > 0) visit(first + index, (results[index] as number) * scale * queryScale);
      }
    }
  }

  #offset(slot: number): number {
    return PAGE + slot * this.#stride;
  }

  #reserve(slots: number): void {
    if (slots <= this.#scales.length) return;
    const wanted = Math.max(slots, Math.ceil(this.#scales.length * 1.125));
    const missing = Math.ceil(this.#offset(wanted) / PAGE) - this.#memory.buffer.byteLength / PAGE;
    try {
      if (missing > 0) this.#memory.grow(missing);
    } catch (cause) {
      throw new OutOfSpace('There is not enough memory for the vectors of this collection', { cause });
    }
    const capacity = Math.floor((this.#memory.buffer.byteLength - PAGE) / this.#stride);
    const scales = new Float32Array(capacity);
    scales.set(this.#scales);
    this.#scales = scales;
  }
}

import type { PrefixBlocks } from './prefix-blocks.ts';

const ways = 8;
const holdersKept = 4;

const bytesPerEntry = 4 * (3 + holdersKept);

/**
 * Records which caches probably hold which prompt prefixes. It is a fixed-size set-associative table of block hashes,
 * eight per set, with LRU replacement. Workers share it without locks: at worst, a torn write sends a prompt to a pod
 * that has not cached it.
 */
export class PrefixIndex {
  readonly buffer: SharedArrayBuffer;
  readonly #setMask: number;
  readonly #low: Uint32Array;
  readonly #high: Uint32Array;
  readonly #used: Uint32Array;
  /** The caches of the last pods that received the block, newest first; 0 is an empty slot. */
  readonly #holders: Uint32Array;
  /** Number of prompts so far, used as the time of last use. */
  readonly #tick: Uint32Array;

  constructor(buffer: SharedArrayBuffer) {
    const entries = Math.floor((buffer.byteLength - 4) / bytesPerEntry);
    this.buffer = buffer;
    this.#setMask = entries / ways - 1;
    this.#tick = new Uint32Array(buffer, 0, 1);
    this.#low = new Uint32Array(buffer, 4, entries);
    this.#high = new Uint32Array(buffer, 4 + 4 * entries, entries);
    this.#used = new Uint32Array(buffer, 4 + 8 * entries, entries);
    this.#holders = new Uint32Array(buffer, 4 + 12 * entries, entries * holdersKept);
  }

  /** Creates an empty index with room for this many entries, rounded up to a power of two. */
  static withRoomFor(entries: number): PrefixIndex {
    const rounded = 2 ** Math.ceil(Math.log2(Math.max(ways, entries)));
    return new PrefixIndex(new SharedArrayBuffer(4 + rounded * bytesPerEntry));
  }

  /** Writes the number of leading blocks that each cache holds into `depths`. */
  match(blocks: PrefixBlocks, depths: Map<number, number>): void {
    depths.clear();
    for (let block = 0; block < blocks.count; block++) {
      const entry = this.#find(blocks.words[2 * block] as number, blocks.words[2 * block + 1] as number);
      if (entry < 0) return;
      for (let holder = entry * holdersKept; holder < (entry + 1) * holdersKept; holder++) {
        const cacheId = this.#holders[holder] as number;
        if (cacheId === 0) break;
        depths.set(cacheId, block + 1);
      }
    }
  }

  /** Records that the prompt was sent to the pod with this cache, which will then hold all of it. */
  remember(blocks: PrefixBlocks, cacheId: number): void {
    const tick = Atomics.add(this.#tick, 0, 1) + 1;
    for (let block = 0; block < blocks.count; block++) {
      const low = blocks.words[2 * block] as number;
      const high = blocks.words[2 * block + 1] as number;
      let entry = this.#find(low, high);
      if (entry < 0) entry = this.#replace(low, high);
      this.#used[entry] = tick;
      this.#putFirst(entry * holdersKept, cacheId);
    }
  }

  #find(low: number, high: number): number {
    const first = (low & this.#setMask) * ways;
    for (let entry = first; entry < first + ways; entry++) {
      if (this.#low[entry] === low && this.#high[entry] === high && this.#used[entry] !== 0) return entry;
    }
    return -1;
  }

  #replace(low: number, high: number): number {
    const first = (low & this.#setMask) * ways;
    let oldest = first;
    for (let entry = first + 1; entry < first + ways; entry++) {
      if ((this.#used[entry] as number) < (this.#used[oldest] as number)) oldest = entry;
    }
    this.#low[oldest] = low;
    this.#high[oldest] = high;
    this.#holders.fill(0, oldest * holdersKept, (oldest + 1) * holdersKept);
    return oldest;
  }

  #putFirst(start: number, cacheId: number): void {
    const holders = this.#holders;
    let at = start;
    while (at < start + holdersKept - 1 && holders[at] !== cacheId && holders[at] !== 0) at++;
    for (; at > start; at--) holders[at] = holders[at - 1] as number;
    holders[start] = cacheId;
  }
}

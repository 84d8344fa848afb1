const CHUNK_BITS = 16;
const CHUNK = 2 ** CHUNK_BITS;
/** Words per slice of a list, by its position in the list. The last word of a slice is the address of the next. */
const SLICES = [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];
const sliceSize = (level: number) => SLICES[Math.min(level, SLICES.length - 1)] as number;

export const maxSlots = 2 ** 24;
const MAX_COUNT = 255;

/** A posting is the slot of a point and how often the term occurs in it. */
export const slotOf = (posting: number) => posting >>> 8;
export const countOf = (posting: number) => posting & 0xff;

/**
 * For each term, the points that contain it, in the order in which they were added. The lists share chunks of memory:
 * most terms are rare, and an array of its own would take more memory than the list. Each list is a chain of slices
 * that double in size.
 */
export class Postings {
  readonly #chunks: Uint32Array[] = [];
  #used = CHUNK;
  #terms = 0;
  /** A hash table with open addressing. A place is free while its count is 0. */
  #capacity = 1024;
  #keys = new Uint32Array(this.#capacity);
  #counts = new Uint32Array(this.#capacity);
  #heads = new Uint32Array(this.#capacity);
  /** Where the next posting goes, and the last word of that slice. */
  #tails = new Uint32Array(this.#capacity);
  #ends = new Uint32Array(this.#capacity);
  #levels = new Uint8Array(this.#capacity);

  get bytes(): number {
    return this.#chunks.length * CHUNK * 4 + this.#capacity * 21;
  }

  add(term: number, slot: number, count: number): void {
    let place = this.#place(term);
    if (this.#counts[place] === 0) {
      if (++this.#terms > this.#capacity * 0.6) {
        this.#grow();
        place = this.#place(term);
      }
      this.#keys[place] = term;
      this.#startSlice(place, 0);
      this.#heads[place] = this.#tails[place] as number;
    } else if (this.#tails[place] === this.#ends[place]) {
      const link = this.#ends[place] as number;
      this.#startSlice(place, (this.#levels[place] as number) + 1);
      this.#write(link, this.#tails[place] as number);
    }
    const tail = this.#tails[place] as number;
    this.#write(tail, ((slot << 8) | Math.min(count, MAX_COUNT)) >>> 0);
    this.#tails[place] = tail + 1;
    this.#counts[place] = (this.#counts[place] as number) + 1;
  }

  count(term: number): number {
    return this.#counts[this.#place(term)] as number;
  }

  /** Calls `visit` with the pieces of the term's list: `words` from `start` to before `end`. */
  eachSlice(term: number, visit: (words: Uint32Array, start: number, end: number) => void): void {
    this.#eachSliceAt(this.#place(term), visit);
  }

  /** The same lists with other slots. Postings whose new slot is negative are left out. */
  renumbered(slots: Int32Array): Postings {
    const result = new Postings();
    for (let place = 0; place < this.#capacity; place++) {
      const term = this.#keys[place] as number;
      this.#eachSliceAt(place, (words, start, end) => {
        for (let index = start; index < end; index++) {
          const posting = words[index] as number;
          const slot = slots[slotOf(posting)] as number;
          if (slot >= 0) result.add(term, slot, countOf(posting));
        }
      });
    }
    return result;
  }

  #eachSliceAt(place: number, visit: (words: Uint32Array, start: number, end: number) => void): void {
    let left = this.#counts[place] as number;
    let address = this.#heads[place] as number;
    for (let level = 0; left > 0; level++) {
      const words = this.#chunks[address >>> CHUNK_BITS] as Uint32Array;
      const start = address & (CHUNK - 1);
      const room = sliceSize(level) - 1;
      const length = Math.min(left, room);
      visit(words, start, start + length);
      left -= length;
      if (left > 0) address = words[start + room] as number;
    }
  }

  #write(address: number, value: number): void {
    (this.#chunks[address >>> CHUNK_BITS] as Uint32Array)[address & (CHUNK - 1)] = value;
  }

  #startSlice(place: number, level: number): void {
    const size = sliceSize(level);
    if (this.#used + size > CHUNK) {
      this.#chunks.push(new Uint32Array(CHUNK));
      this.#used = 0;
    }
    const address = (this.#chunks.length - 1) * CHUNK + this.#used;
    this.#used += size;
    this.#tails[place] = address;
    this.#ends[place] = address + size - 1;
    this.#levels[place] = Math.min(level, SLICES.length - 1);
  }

  /** Where the term is, or the free place where it belongs. */
  #place(term: number): number {
    const mask = this.#capacity - 1;
    let place = (Math.imul(term, 0x9e3779b1) >>> 7) & mask;
    while (this.#counts[place] !== 0 && this.#keys[place] !== term) place = (place + 1) & mask;
    return place;
  }

  #grow(): void {
    const [keys, counts, heads, tails, ends, levels] = [
      this.#keys,
      this.#counts,
      this.#heads,
      this.#tails,
      this.#ends,
      this.#levels,
    ];
    this.#capacity *= 2;
    this.#keys = new Uint32Array(this.#capacity);
    this.#counts = new Uint32Array(this.#capacity);
    this.#heads = new Uint32Array(this.#capacity);
    this.#tails = new Uint32Array(this.#capacity);
    this.#ends = new Uint32Array(this.#capacity);
    this.#levels = new Uint8Array(this.#capacity);
    for (let from = 0; from < keys.length; from++) {
      if (counts[from] === 0) continue;
      const to = this.#place(keys[from] as number);
      this.#keys[to] = keys[from] as number;
      this.#counts[to] = counts[from] as number;
      this.#heads[to] = heads[from] as number;
      this.#tails[to] = tails[from] as number;
      this.#ends[to] = ends[from] as number;
      this.#levels[to] = levels[from] as number;
    }
  }
}

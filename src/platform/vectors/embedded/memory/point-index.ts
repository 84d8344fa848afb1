import { OutOfSpace } from '../../../../contracts/problems.ts';
import { DenseCodes } from './dense-codes.ts';
import { maxSlots, Postings, slotOf } from './postings.ts';
import type { Codes } from './quantise.ts';

/** What a search needs of a point. */
export interface IndexedPoint {
  id: number;
  group: number;
  vector: Codes | null;
  terms: Uint32Array;
  counts: Uint16Array;
}

/** The group of removed points. The number of a group is its position in `groupIds`. */
const REMOVED = 0;
/** With fewer removed points than this, or less than this share, their memory isn't reclaimed. */
const TOLERATED = { points: 1_000, share: 0.25 };

/** The points of an opened collection in memory, each in a numbered slot. */
export class PointIndex {
  dense: DenseCodes | undefined;
  postings = new Postings();
  /** Slots in use, including those of removed points. */
  slots = 0;
  #removed = 0;
  #totalLength = 0;
  #ids = new Float64Array(256);
  #groups = new Uint32Array(256);
  #lengths = new Uint32Array(256);
  #slotOfId = new Map<number, number>();
  #groupIds: number[] = [Number.NaN];
  #groupNumbers = new Map<number, number>();
  #groupSizes: number[] = [0];

  get points(): number {
    return this.slots - this.#removed;
  }

  get averageLength(): number {
    return this.points === 0 ? 1 : Math.max(this.#totalLength / this.points, 1);
  }

  get hasRemoved(): boolean {
    return this.#removed > 0;
  }

  /** By slot. */
  get lengths(): Uint32Array {
    return this.#lengths;
  }

  get bytes(): number {
    const perPoint = 48;
    return (this.dense?.bytes ?? 0) + this.postings.bytes + this.#ids.length * 16 + this.slots * perPoint;
  }

  put({ id, group, vector, terms, counts }: IndexedPoint): void {
    this.remove(id);
    const slot = this.slots;
    if (slot >= maxSlots) throw new OutOfSpace(`A collection holds at most ${maxSlots} points`);
    this.#reserve(slot + 1);
    if (vector) {
      this.dense ??= new DenseCodes(vector.codes.length);
      this.dense.set(slot, vector);
    }
    let length = 0;
    for (let index = 0; index < terms.length; index++) {
      const count = counts[index] as number;
      length += count;
      this.postings.add(terms[index] as number, slot, count);
    }
    this.#ids[slot] = id;
    this.#lengths[slot] = length;
    this.#totalLength += length;
    this.#slotOfId.set(id, slot);
    const number = this.#groupNumber(group);
    this.#groups[slot] = number;
    this.#groupSizes[number] = (this.#groupSizes[number] as number) + 1;
    this.slots++;
  }

  remove(id: number): void {
    const slot = this.#slotOfId.get(id);
    if (slot === undefined) return;
    const number = this.#groups[slot] as number;
    this.#slotOfId.delete(id);
    this.#groups[slot] = REMOVED;
    this.#groupSizes[number] = (this.#groupSizes[number] as number) - 1;
    this.#totalLength -= this.#lengths[slot] as number;
    this.#removed++;
  }

  removeGroups(groups: Iterable<number>): void {
    const numbers = new Set<number>();
    for (const group of groups) numbers.add(this.#groupNumbers.get(group) ?? REMOVED);
    numbers.delete(REMOVED);
    this.#removeSlots((slot) => numbers.has(this.#groups[slot] as number));
  }

  /** Removes the points of a group that are not among `ids`. */
  retain(group: number, ids: ReadonlySet<number>): void {
    const number = this.#groupNumbers.get(group);
    this.#removeSlots((slot) => this.#groups[slot] === number && !ids.has(this.#ids[slot] as number));
  }

  /** The number of points per group, without empty groups. */
  groupSizes(): Map<number, number> {
    const sizes = new Map<number, number>();
    for (const [number, size] of this.#groupSizes.entries())
      if (number !== REMOVED && size > 0) sizes.set(this.#groupIds[number] as number, size);
    return sizes;
  }

  idOf(slot: number): number {
    return this.#ids[slot] as number;
  }

  groupOf(slot: number): number {
    return this.#groupIds[this.#groups[slot] as number] as number;
  }

  /** Whether the point of a slot may be found. */
  filter(hidden: readonly number[] = [], groups?: readonly number[]): (slot: number) => boolean {
    const allowed = new Uint8Array(this.#groupIds.length).fill(groups ? 0 : 1);
    const allow = (list: readonly number[], value: number) => {
      for (const group of list) {
        const number = this.#groupNumbers.get(group);
        if (number !== undefined) allowed[number] = value;
      }
    };
    if (groups) allow(groups, 1);
    allow(hidden, 0);
    allowed[REMOVED] = 0;
    const numbers = this.#groups;
    return (slot) => allowed[numbers[slot] as number] === 1;
  }

  /** How many points contain the term. */
  containing(term: number): number {
    if (this.#removed === 0) return this.postings.count(term);
    let count = 0;
    this.postings.eachSlice(term, (words, start, end) => {
      for (let index = start; index < end; index++)
        if (this.#groups[slotOf(words[index] as number)] !== REMOVED) count++;
    });
    return count;
  }

  /** Reclaims the memory of removed points once they are many. */
  reclaim(): void {
    if (this.#removed < TOLERATED.points || this.#removed < this.slots * TOLERATED.share) return;
    const moved = new Int32Array(this.slots).fill(-1);
    let next = 0;
    for (let slot = 0; slot < this.slots; slot++) {
      if (this.#groups[slot] === REMOVED) continue;
      moved[slot] = next;
      this.#ids[next] = this.#ids[slot] as number;
      this.#groups[next] = this.#groups[slot] as number;
      this.#lengths[next] = this.#lengths[slot] as number;
      this.#slotOfId.set(this.#ids[next] as number, next);
      this.dense?.move(slot, next);
      next++;
    }
    this.dense?.clear(next);
    this.postings = this.postings.renumbered(moved);
    this.slots = next;
    this.#removed = 0;
  }

  #removeSlots(condition: (slot: number) => boolean): void {
    for (let slot = 0; slot < this.slots; slot++) if (condition(slot)) this.remove(this.#ids[slot] as number);
  }

  #groupNumber(group: number): number {
    let number = this.#groupNumbers.get(group);
    if (number === undefined) {
      number = this.#groupIds.push(group) - 1;
      this.#groupNumbers.set(group, number);
      this.#groupSizes.push(0);
    }
    return number;
  }

  #reserve(slots: number): void {
    if (slots <= this.#ids.length) return;
    const capacity = Math.ceil(this.#ids.length * 1.5);
    const grown = <Column extends Float64Array | Uint32Array>(column: Column, larger: Column): Column => {
      larger.set(column);
      return larger;
    };
    this.#ids = grown(this.#ids, new Float64Array(capacity));
    this.#groups = grown(this.#groups, new Uint32Array(capacity));
    this.#lengths = grown(this.#lengths, new Uint32Array(capacity));
  }
}

import { budgets } from '../budgets.ts';

const countBits = 40n;
const countMask = (1n << countBits) - 1n;
const zero = 1n << (countBits - 1n);
/** The largest count: 550 billion. A higher limit is counted as this one. */
const most = Number(zero - 1n);

/** What was found in a cell: how much was used in which period. */
export interface Balance {
  period: number;
  used: number;
}

/**
 * How much each key has used of each budget, in memory that all threads of the process share. A cell holds a period and
 * a count in one 64-bit number, so that one compare-and-exchange checks the limit, begins a new period and adds: no
 * two threads can take the last unit.
 *
 * A count may be negative: quota that was leased from the database and is not used yet.
 */
export class Balances {
  readonly buffer: SharedArrayBuffer;
  readonly #cells: BigUint64Array;

  constructor(rows: number, buffer = new SharedArrayBuffer(rows * budgets.length * 8)) {
    this.buffer = buffer;
    this.#cells = new BigUint64Array(buffer);
  }

  /** Takes `wanted`, or what is left below the ceiling where that is at least `least`; returns how much it took. */
  take(row: number, budget: number, period: number, wanted: number, ceiling: number, least = 1): number {
    const cell = row * budgets.length + budget;
    for (;;) {
      const before = Atomics.load(this.#cells, cell);
      const used = usedIn(before, period);
      const taken = Math.min(wanted, Math.min(ceiling, most) - used);
      if (taken < least) return 0;
      if (this.#replace(cell, before, period, used + taken)) return taken;
    }
  }

  /** Adds to what was used, or subtracts from it; a period that is over keeps nothing but what is still to pay. */
  add(row: number, budget: number, period: number, amount: number): void {
    const cell = row * budgets.length + budget;
    for (;;) {
      const before = Atomics.load(this.#cells, cell);
      if (periodIn(before) > period) return;
      if (this.#replace(cell, before, period, usedIn(before, period) + amount)) return;
    }
  }

  read(row: number, budget: number): Balance {
    const value = Atomics.load(this.#cells, row * budgets.length + budget);
    return { period: periodIn(value), used: countIn(value) };
  }

  /** Empties a cell and returns what was in it. */
  clear(row: number, budget: number): Balance {
    const cell = row * budgets.length + budget;
    for (;;) {
      const before = Atomics.load(this.#cells, cell);
      const balance = { period: periodIn(before), used: countIn(before) };
      if (balance.used === 0 || this.#replace(cell, before, balance.period, 0)) return balance;
    }
  }

  #replace(cell: number, before: bigint, period: number, count: number): boolean {
    const kept = Math.max(-most, Math.min(most, count));
    const after = (BigInt(period) << countBits) | (BigInt(kept) + zero);
    return Atomics.compareExchange(this.#cells, cell, before, after) === before;
  }
}

function usedIn(value: bigint, period: number): number {
  return periodIn(value) === period ? countIn(value) : 0;
}

function periodIn(value: bigint): number {
  return Number(value >> countBits);
}

function countIn(value: bigint): number {
  return value === 0n ? 0 : Number((value & countMask) - zero);
}

import type { Clock } from '../../contracts/clock.ts';
import { Occupancy } from '../routing/occupancy.ts';
import { KeyCounts } from './key-counts.ts';
import { KeyLimits } from './key-limits.ts';

/** The memory in which the limits of keys are counted, and which row of it is whose. */
export class LimitTable {
  readonly counts: KeyCounts;
  readonly running: Occupancy;
  readonly #rows = new Map<string, number>();

  constructor(counts = new KeyCounts(), running = new Occupancy()) {
    this.counts = counts;
    this.running = running;
  }

  /** Where there are several workers the main thread alone gives out rows; they are told. */
  rowOf(key: string): number {
    const row = this.#rows.get(key) ?? this.#rows.size;
    this.#rows.set(key, row);
    return row;
  }

  setRow(key: string, row: number): void {
    this.#rows.set(key, row);
  }

  limits(clock: Clock): KeyLimits {
    return new KeyLimits(this.counts, this.running, (key) => this.rowOf(key), clock);
  }
}

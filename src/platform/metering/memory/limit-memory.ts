import { Balances } from './balances.ts';
import { KeyRows, mostRows } from './key-rows.ts';
import { RunningCounts } from './running-counts.ts';

/** What a worker thread needs to count in the same memory as the others. */
export interface SharedLimits {
  readonly balances: SharedArrayBuffer;
  readonly running: SharedArrayBuffer;
  readonly threads: number;
  /** Whether quota is leased from a database that other processes use too. */
  readonly leased: boolean;
}

/** The counts of all keys as one thread sees them. */
export interface LimitMemory {
  readonly balances: Balances;
  readonly running: RunningCounts;
  readonly rows: KeyRows;
  /** The column of this thread in `running`. */
  readonly thread: number;
}

export function joinLimits(shared: SharedLimits, thread: number): LimitMemory {
  return {
    balances: new Balances(mostRows, shared.balances),
    running: new RunningCounts(mostRows, shared.threads, shared.running),
    rows: new KeyRows(),
    thread,
  };
}

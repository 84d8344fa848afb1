import type { Clock } from '../../contracts/clock.ts';
import type { Database } from '../database/database.ts';
import type { Caller } from '../http/access.ts';
import type { Logger } from '../telemetry/logger.ts';
import { budgets, firstOfMonth, periodOf, places } from './budgets.ts';
import { hasBudget, KeyLimits } from './key-limits.ts';
import type { Bank } from './leases/bank.ts';
import { type LeaseSettings, openLeases } from './leases/open-leases.ts';
import { Balances } from './memory/balances.ts';
import { KeyRows, mostRows } from './memory/key-rows.ts';
import type { LimitMemory, SharedLimits } from './memory/limit-memory.ts';
import { RunningCounts } from './memory/running-counts.ts';
import { keepUsage } from './usage/keep-usage.ts';
import { UsageLedger } from './usage/usage-ledger.ts';
import { usedSince } from './usage/usage-store.ts';

/** Limits and usage per key, for every service of a process. */
export interface Metering {
  /** `enter` reserves what a request may use; `settle` on the reservation says what it used. */
  limits: KeyLimits;
  usage: UsageLedger;
  /** For the worker threads of this process. */
  threads: MeteringThreads;
  close(): Promise<void>;
}

export interface MeteringThreads {
  readonly shared: SharedLimits;
  /** Where a worker without a database asks for quota; absent where this process counts alone. */
  readonly bank: Bank | undefined;
  /** The row of a caller's key, or -1 where nothing is counted for it. */
  rowOf(caller: Caller): number;
  /** A worker has ended: what its requests held is free again. */
  ended(thread: number): void;
}

interface MeteringDependencies {
  database: Database;
  clock: Clock;
  logger: Pick<Logger, 'error' | 'warn' | 'info'>;
  /** Worker threads beside this one; 0 where there are none. */
  workers?: number;
  writeUsageEvery?: number;
  leases?: Partial<LeaseSettings>;
}

export async function openMetering(deps: MeteringDependencies): Promise<Metering> {
  const { database, clock, logger, workers = 0 } = deps;
  const usage = new UsageLedger();
  const balances = new Balances(mostRows);
  const memory: LimitMemory = {
    balances,
    running: new RunningCounts(mostRows, workers + 1),
    rows: new KeyRows(database.exclusive ? await monthsBeginning(database, clock, balances) : undefined),
    thread: workers,
  };
  const bank = database.exclusive
    ? undefined
    : await openLeases({ database, memory, clock, logger, settings: deps.leases });
  const keeping = keepUsage({ database, clock, logger, ledger: usage, every: deps.writeUsageEvery });
  return {
    limits: new KeyLimits(memory, clock, bank),
    usage,
    threads: {
      shared: {
        balances: memory.balances.buffer,
        running: memory.running.buffer,
        threads: workers + 1,
        leased: bank !== undefined,
      },
      bank,
      rowOf: (caller) => (caller.kind === 'key' && hasBudget(caller.limits) ? memory.rows.of(caller.id) : -1),
      ended: (thread) => freeThread(memory, thread, bank),
    },
    async close() {
      await keeping.close();
      await bank?.close();
    },
  };
}

/** A process that counts alone begins each key's month with what the database knows of it. */
async function monthsBeginning(database: Database, clock: Clock, balances: Balances) {
  const now = clock.now();
  const used = await usedSince(database, firstOfMonth(now));
  return (row: number, key: string) => {
    for (const [index, { window, unit }] of budgets.entries()) {
      if (window !== 'month' || unit === 'requests') continue;
      balances.add(row, index, periodOf('month', now), used.get(key)?.[unit] ?? 0);
    }
  };
}

function freeThread({ rows, running, balances }: LimitMemory, thread: number, bank: Bank | undefined): void {
  for (const [key, row] of rows.entries()) {
    const ended = running.clear(row, thread);
    if (ended === 0) continue;
    balances.add(row, places, 0, -ended);
    bank?.settle({ key, row, budget: places });
  }
}

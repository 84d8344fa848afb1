import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../contracts/clock.ts';
import type { Database } from '../../database/database.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { type Budget, budgets, periodOf, places } from '../budgets.ts';
import type { LimitMemory } from '../memory/limit-memory.ts';
import type { Bank } from './bank.ts';
import { forgetQuotas } from './lease-store.ts';
import { Leases } from './leases.ts';
import { Outage } from './outage.ts';
import { freeDeadProcesses, freeProcess, renewProcess } from './process-store.ts';

export interface LeaseSettings {
  /** How often a process says that it is alive, and after how long of silence its places are taken back. */
  heartbeat: number;
  lifetime: number;
  /** How often leases that are not used go back. */
  sweepEvery: number;
  /** How long limits are counted by each process alone while the database does not answer. */
  grace: number;
  /** How long a statement may take. */
  patience: number;
}

const placesBudget = (budgets[places] as Budget).limit;

const defaults: LeaseSettings = {
  heartbeat: 2000,
  lifetime: 10_000,
  sweepEvery: 500,
  grace: 60_000,
  patience: 2000,
};
/** Clocks may differ by this many minutes. */
const keptPeriods = 5;

interface Dependencies {
  database: Database;
  memory: LimitMemory;
  clock: Clock;
  logger: Pick<Logger, 'error' | 'warn' | 'info'>;
  settings?: Partial<LeaseSettings> | undefined;
}

/** Leases for a process that shares its database with others, and the heartbeat that keeps its places. */
export async function openLeases(deps: Dependencies): Promise<Bank & { close(): Promise<void> }> {
  const { database, clock, logger } = deps;
  const { heartbeat, lifetime, sweepEvery, ...limits } = { ...defaults, ...deps.settings };
  const process = randomUUID();
  const outage = new Outage(limits, logger);
  const leases = new Leases({ ...deps, outage, process });

  async function beat(): Promise<void> {
    if (!(await renewProcess(database, process, lifetime))) {
      await freeProcess(database, process, placesBudget);
      await renewProcess(database, process, lifetime);
      await leases.retakePlaces();
    }
    await freeDeadProcesses(database, placesBudget);
    for (const { limit, window } of budgets) {
      if (window !== 'running') {
        await forgetQuotas(database, limit, periodOf(window, clock.now()) - keptPeriods);
      }
    }
  }

  await renewProcess(database, process, lifetime);
  let beating = Promise.resolve();
  let isBeating = false;
  const beats = setInterval(() => {
    if (isBeating) return;
    isBeating = true;
    beating = beat()
      .catch((error: unknown) => logger.warn({ err: error }, 'limits of keys: no heartbeat was written'))
      .finally(() => {
        isBeating = false;
      });
  }, heartbeat).unref();
  const sweeps = setInterval(() => leases.sweep(), sweepEvery).unref();

  return {
    draw: (draw) => leases.draw(draw),
    settle: (account) => leases.settle(account),
    async close() {
      clearInterval(beats);
      clearInterval(sweeps);
      await beating;
      await leases.close();
      await freeProcess(database, process, placesBudget).catch((error: unknown) => {
        logger.warn({ err: error }, 'places of keys could not be given back; they expire by themselves');
      });
    },
  };
}

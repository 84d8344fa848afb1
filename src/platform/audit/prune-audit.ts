import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../contracts/clock.ts';
import type { Database } from '../database/database.ts';
import type { Logger } from '../telemetry/logger.ts';
import { deleteEntries } from './audit-store.ts';

export interface PruneDependencies {
  database: Database;
  clock: Clock;
  /** How long entries are kept, in milliseconds; 0 for ever. */
  retention: number;
  /** Entries per transaction: while one runs on SQLite, everything else waits. */
  batch?: number;
}

const usualBatch = 500;

/** Deletes entries that are older than the retention, a bounded number per transaction. */
export async function pruneAudit(deps: PruneDependencies, signal?: AbortSignal): Promise<number> {
  const { database, clock, retention, batch = usualBatch } = deps;
  if (retention === 0) return 0;
  const before = clock.now() - retention;
  let deleted = 0;
  while (!signal?.aborted) {
    const count = await deleteEntries(database, before, batch);
    deleted += count;
    if (count < batch) break;
    await sleep(50);
  }
  return deleted;
}

interface KeepPruningDependencies extends PruneDependencies {
  logger: Pick<Logger, 'info' | 'warn'>;
  every?: number;
}

/** Prunes now and then every hour, in the background, until it is closed. */
export function keepPruningAudit(deps: KeepPruningDependencies): { close(): Promise<void> } {
  const stopping = new AbortController();
  const once = () =>
    pruneAudit(deps, stopping.signal).then(
      (deleted) => deleted > 0 && deps.logger.info({ deleted }, 'old audit entries were deleted'),
      (error: unknown) => deps.logger.warn({ err: error }, 'old audit entries could not be deleted'),
    );
  let running = once();
  const timer = setInterval(() => {
    running = running.then(once);
  }, deps.every ?? 3_600_000).unref();
  return {
    async close() {
      clearInterval(timer);
      stopping.abort();
      await running;
    },
  };
}

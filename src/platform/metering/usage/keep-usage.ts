import type { Clock } from '../../../contracts/clock.ts';
import type { Database } from '../../database/database.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { UsageLedger } from './usage-ledger.ts';
import { addUsage } from './usage-store.ts';

interface Dependencies {
  database: Database;
  clock: Clock;
  logger: Pick<Logger, 'warn'>;
  ledger: UsageLedger;
  every?: number | undefined;
}

/** Writes usage to the database every few seconds; `close` writes the rest. */
export function keepUsage({ database, clock, logger, ledger, every = 5000 }: Dependencies): {
  close(): Promise<void>;
} {
  async function write(): Promise<void> {
    const entries = ledger.take();
    if (entries.length === 0) return;
    const day = new Date(clock.now()).toISOString().slice(0, 10);
    try {
      await database.transaction((session) => addUsage(session, entries, day));
    } catch (error) {
      ledger.add(entries);
      logger.warn({ err: error }, 'usage could not be written to the database; it is kept and tried again');
    }
  }

  let running = Promise.resolve();
  const timer = setInterval(() => {
    running = running.then(write);
  }, every).unref();
  return {
    async close() {
      clearInterval(timer);
      await running;
      await write();
    },
  };
}

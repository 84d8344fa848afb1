import type { Clock } from '../../contracts/clock.ts';
import type { PlatformConfig } from '../../platform/config/resolve-platform.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { Exchange } from '../calls/exchange.ts';
import { AccessLog } from './access-log.ts';
import { Meters } from './meters.ts';
import { observer } from './observer.ts';
import { UsageLedger } from './usage-ledger.ts';
import { addUsage, tokensSince } from './usage-store.ts';

export interface Observing {
  observe(exchange: Exchange): void;
  meters: Meters;
  ledger: UsageLedger;
  /** Writes down what is still in memory. */
  close(): Promise<void>;
}

interface ObservingDependencies {
  database: Database;
  clock: Clock;
  logger: Logger;
  telemetry: Pick<PlatformConfig['telemetry'], 'log_format'>;
  /** Told what each key has used of the month so far, by the count of all dispatchers. */
  monthUsed(tokens: Map<string, number>): void;
  every?: number;
}

/** Counts, logs and traces what the proxy has done, and writes the usage down now and then. */
export async function startObserving(deps: ObservingDependencies): Promise<Observing> {
  const { database, clock, logger } = deps;
  const meters = new Meters();
  const ledger = new UsageLedger();
  const log = logger.isLevelEnabled('info') ? AccessLog.to(process.stdout, deps.telemetry) : undefined;

  async function write(): Promise<void> {
    const entries = ledger.take();
    if (entries.length === 0) return;
    try {
      await database.transaction((session) => addUsage(session, entries, today(clock)));
    } catch (error) {
      ledger.add(entries);
      logger.warn({ err: error }, 'usage could not be written down; it is kept and tried again');
    }
  }

  async function readMonth(): Promise<void> {
    deps.monthUsed(await tokensSince(database, `${today(clock).slice(0, 7)}-01`));
  }

  await readMonth();
  let running = Promise.resolve();
  const timer = setInterval(() => {
    running = running
      .then(write)
      .then(readMonth)
      .catch((error: unknown) => logger.warn({ err: error }, 'usage could not be read'));
  }, deps.every ?? 5000).unref();

  return {
    meters,
    ledger,
    observe: observer(meters, ledger, log),
    async close() {
      clearInterval(timer);
      log?.flush();
      await running;
      await write();
    },
  };
}

function today(clock: Clock): string {
  return new Date(clock.now()).toISOString().slice(0, 10);
}

import type { PlatformConfig } from '../../platform/config/resolve-platform.ts';
import type { UsageLedger } from '../../platform/metering/usage/usage-ledger.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import { AccessLog } from './log/access-log.ts';
import { Meters } from './meters.ts';
import { type Observer, observeWith, standardObservers } from './observer.ts';

export interface Observing {
  observe: Observer;
  meters: Meters;
  usage: UsageLedger;
  /** Writes buffered log lines. */
  close(): void;
}

interface ObservingDependencies {
  logger: Logger;
  telemetry: Pick<PlatformConfig['telemetry'], 'log_format' | 'access_log'>;
  usage: UsageLedger;
}

/** Sets up metrics, usage and the access log for the requests of one thread. */
export function startObserving({ logger, telemetry, usage }: ObservingDependencies): Observing {
  const meters = new Meters();
  const log = logger.isLevelEnabled('info') ? new AccessLog(telemetry) : undefined;
  return {
    meters,
    usage,
    observe: observeWith(standardObservers(meters, usage, log), logger),
    close: () => log?.close(),
  };
}

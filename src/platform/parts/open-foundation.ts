import { accessSync, constants, mkdirSync } from 'node:fs';
import { systemClock } from '../../contracts/clock.ts';
import { openKeyRing } from '../auth/key-ring.ts';
import { ensureAdminKey, readAdminKey } from '../auth/keys/admin-key.ts';
import { openBlobs } from '../blobs/open-blobs.ts';
import { processEnvironment } from '../config/environment.ts';
import type { PlatformConfig } from '../config/resolve-platform.ts';
import type { Migration } from '../database/migration.ts';
import { openDatabase } from '../database/open-database.ts';
import { refuseForeign } from '../http/foreign-requests.ts';
import { openMetering } from '../metering/open-metering.ts';
import { createWorkQueue } from '../queue/work-queue.ts';
import { StartupError } from '../startup-error.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { startLogging, startTraces } from '../telemetry/start-telemetry.ts';
import { programVersion } from '../version.ts';
import type { Closers } from './closers.ts';
import type { Foundation } from './part.ts';

interface FoundationOptions {
  /** Of every room, in order. */
  migrations: readonly Migration[];
  /** Worker threads that count against the limits of keys, besides the main thread. */
  threads: number;
}

/** Opens what every part stands on. `closers` learns how to close each piece, in case a later one fails to open. */
export async function openFoundation<Config extends PlatformConfig>(
  config: Config,
  { migrations, threads }: FoundationOptions,
  closers: Closers,
): Promise<Omit<Foundation<Config>, 'address'>> {
  prepareDataFolder(config.data_dir);
  const clock = systemClock;
  const logger = startLogging(config.telemetry, 'roundhouse');
  const tracing = await startTraces(config.telemetry, logger);
  closers.add(() => tracing.close());
  const database = await openDatabase({ url: config.database.url, migrations, logger });
  closers.add(() => database.close());
  const blobs = await openBlobs(config.blobs);
  closers.add(() => blobs.close());
  const adminKey = await ensureAdminKey({
    database,
    clock,
    dataDir: config.data_dir,
    configured: config.admin_token,
  });
  if (adminKey.replaced) {
    logger.warn(
      'the database had another admin key, which was replaced and is no longer valid: processes that share a database need the same ROUNDHOUSE_ADMIN_TOKEN',
    );
  }
  const ring = await openKeyRing({ database, clock, logger });
  closers.add(() => ring.close());
  const metering = await openMetering({ database, clock, logger, workers: threads });
  closers.add(() => metering.close());
  return {
    config,
    environment: processEnvironment(),
    clock,
    logger,
    metrics: createMetrics({ version: programVersion }),
    tracing,
    database,
    blobs,
    queue: createWorkQueue({ database, clock, logger }),
    ring,
    metering,
    access: {
      authenticate: ring.authenticate,
      open: config.auth.open,
      refuseForeign: refuseForeign(config),
    },
    adminKey,
    ownKey: config.admin_token ?? readAdminKey(adminKey.file),
  };
}

function prepareDataFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o750 });
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const reason =
      (error as NodeJS.ErrnoException).code === 'EEXIST' ? 'it is not a folder' : (error as Error).message;
    throw new StartupError(`the data folder ${folder} can't be used: ${reason}`);
  }
}

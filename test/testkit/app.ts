import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/contracts/clock.ts';
import { type KeyRing, openKeyRing } from '../../src/platform/auth/key-ring.ts';
import type { BlobStore } from '../../src/platform/blobs/blob-store.ts';
import { openBlobs } from '../../src/platform/blobs/open-blobs.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { buildApp } from '../../src/platform/http/build-app.ts';
import type { App, Service } from '../../src/platform/http/service.ts';
import { createWorkQueue, type WorkQueue } from '../../src/platform/queue/work-queue.ts';
import { silentLogger } from '../../src/platform/telemetry/logger.ts';
import { createMetrics } from '../../src/platform/telemetry/metrics.ts';
import { openDatabase } from './stores/open-database.ts';

interface TestDependencies {
  database: Database;
  clock: typeof systemClock;
  ring: KeyRing;
  queue: WorkQueue;
  blobs: BlobStore;
  bucket: string;
  datasetLimits: { largest: number };
}

export interface BuiltTestApp {
  app: App;
  deps: TestDependencies;
  close(): Promise<void>;
}

/** Services on a real HTTP server in this process, with their own real database. */
export async function buildTestApp(
  services: (deps: TestDependencies) => Service[] | Promise<Service[]>,
  open = true,
): Promise<BuiltTestApp> {
  const folder = mkdtempSync(join(tmpdir(), 'roundhouse-app-'));
  const database = await openDatabase({ url: `sqlite:${join(folder, 'roundhouse.db')}` });
  const logger = silentLogger();
  const ring = await openKeyRing({ database, clock: systemClock, logger });
  const blobs = await openBlobs({
    url: `file:${join(folder, 'blobs')}`,
    s3: { region: 'none', force_path_style: true },
  });
  const deps = {
    database,
    clock: systemClock,
    ring,
    queue: createWorkQueue({ database, clock: systemClock }),
    blobs,
    bucket: 'roundhouse',
    datasetLimits: { largest: 2 ** 20 },
  };
  const { app, drain } = await buildApp({
    services: await services(deps),
    logger,
    metrics: createMetrics({ version: '0.0.0', processMetrics: false }),
    access: { authenticate: ring.authenticate, open },
    programVersion: '0.0.0',
    http: { body_limit: 2 ** 20, cors_origins: [] },
  });
  return {
    app,
    deps,
    async close() {
      await drain.close(0);
      await ring.close();
      await database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

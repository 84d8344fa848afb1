import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { z } from 'zod';
import type { ApiKeyRequest, Scope } from '../../src/contracts/api-keys.ts';
import type { Clock } from '../../src/contracts/clock.ts';
import { systemClock } from '../../src/contracts/clock.ts';
import type { PodInfo, PodRecord } from '../../src/contracts/dispatcher/pods.ts';
import { createDispatcher } from '../../src/dispatcher/dispatcher-service.ts';
import { frontedServer } from '../../src/dispatcher/fronted-server.ts';
import type { PodLauncher } from '../../src/dispatcher/pods/pod-launcher.ts';
import { openKeyRing } from '../../src/platform/auth/key-ring.ts';
import { createKey } from '../../src/platform/auth/manage-keys.ts';
import { resolveConfig } from '../../src/platform/config/resolve-config.ts';
import { ConfigInput } from '../../src/platform/config/schema.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { openDatabase } from '../../src/platform/database/open-database.ts';
import { buildApp } from '../../src/platform/http/build-app.ts';
import { openMetering } from '../../src/platform/metering/open-metering.ts';
import { type Logger, silentLogger } from '../../src/platform/telemetry/logger.ts';
import { createMetrics } from '../../src/platform/telemetry/metrics.ts';
import { tracingOff } from '../../src/platform/telemetry/tracing.ts';

interface DispatcherOptions {
  config?: z.input<typeof ConfigInput>;
  /** Callers need a key. */
  closed?: boolean;
  launcher?: PodLauncher;
  /** A folder that outlives this one, with the database in it. */
  folder?: string;
  clock?: Clock;
  logger?: Logger;
  /** Leaves the proxied requests to the web framework. */
  withoutFront?: boolean;
}

export interface RunningDispatcher {
  url: string;
  database: Database;
  folder: string;
  metrics(): Promise<string>;
  /** `POST /pods-info/` with a report. */
  report(info: Partial<PodInfo>): Promise<PodRecord>;
  pods(): Promise<PodRecord[]>;
  chat(body?: Record<string, unknown>, options?: RequestInit): Promise<Response>;
  key(limits?: ApiKeyRequest['limits'], scopes?: Scope[]): Promise<{ key: string; id: string }>;
  /** Lets running requests end for so many milliseconds. */
  close(drainFor?: number): Promise<void>;
}

const noLauncher: PodLauncher = {
  start: () => Promise.reject(new Error('nothing is launched here')),
  stop: async () => undefined,
  get: () => undefined,
};

/** The dispatcher behind the real door, in this process, on a free port and a database of its own. */
export async function startDispatcher(options: DispatcherOptions = {}): Promise<RunningDispatcher> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'roundhouse-dispatcher-'));
  const input = ConfigInput.parse({ data_dir: folder, auth: { open: !options.closed }, ...options.config });
  const { config } = resolveConfig(input, folder);
  const clock = options.clock ?? systemClock;
  const logger = options.logger ?? silentLogger();
  const database = await openDatabase({ url: config.database.url });
  const ring = await openKeyRing({ database, clock: systemClock, logger });
  const metrics = createMetrics({ version: '0.0.0', processMetrics: false });
  const access = { authenticate: ring.authenticate, open: config.auth.open };
  const launcher = options.launcher ?? noLauncher;
  const metering = await openMetering({ database, clock, logger });
  const shared = {
    config,
    database,
    clock,
    logger,
    metrics,
    tracing: tracingOff,
    access,
    metering,
    launcher,
  };
  const { service, front, resume } = await createDispatcher(shared);
  const { app, drain } = await buildApp({
    services: [service],
    logger,
    metrics,
    access,
    programVersion: '0.0.0',
    http: config.http,
    ...(options.withoutFront ? {} : { serverFactory: (handler) => frontedServer(front, handler) }),
  });
  const url = await app.listen({ host: '127.0.0.1', port: config.port ?? 0 });
  await resume();

  const post = (path: string, body: unknown) =>
    fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  return {
    url,
    database,
    folder,
    metrics: () => metrics.text(),
    report: async (info) => (await post('/pods-info/', info)).json() as Promise<PodRecord>,
    pods: async () => (await post('/pods-info/', null)).json() as Promise<PodRecord[]>,
    chat: (body = {}, init = {}) =>
      fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        body: JSON.stringify({ model: 'mock', messages: [{ role: 'user', content: 'Hi' }], ...body }),
        ...init,
        headers: { 'content-type': 'application/json', ...init.headers },
      }),
    key: (limits = {}, scopes = ['inference']) =>
      createKey({ database, clock: systemClock, ring }, { name: 'test', scopes, limits }),
    async close(drainFor = 0) {
      await drain.close(drainFor);
      await metering.close();
      await ring.close();
      await database.close();
      if (!options.folder) rmSync(folder, { recursive: true, force: true });
    },
  };
}

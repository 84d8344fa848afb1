import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { z } from 'zod';
import { AddressLimits } from '../../src/chatbot/admission/address-limits.ts';
import { PublicBots } from '../../src/chatbot/admission/public-bots.ts';
import { Readers } from '../../src/chatbot/admission/readers.ts';
import { openBotSurfaces } from '../../src/chatbot/surfaces-part.ts';
import { platformActor } from '../../src/contracts/actor.ts';
import type { ApiKeyRequest, Scope } from '../../src/contracts/api-keys.ts';
import type { Clock } from '../../src/contracts/clock.ts';
import { systemClock } from '../../src/contracts/clock.ts';
import type { PodInfo, PodRecord } from '../../src/contracts/dispatcher/pods.ts';
import type { PodStarter } from '../../src/contracts/launching.ts';
import { openDispatcher } from '../../src/dispatcher/part.ts';
import { openKeyRing } from '../../src/platform/auth/key-ring.ts';
import { createKey } from '../../src/platform/auth/keys/create-key.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { buildApp } from '../../src/platform/http/build-app.ts';
import { refuseForeign } from '../../src/platform/http/foreign-requests.ts';
import { listen } from '../../src/platform/http/listen.ts';
import type { InferenceTransport } from '../../src/platform/inference/sending/transport.ts';
import { openMetering } from '../../src/platform/metering/open-metering.ts';
import { type Logger, silentLogger } from '../../src/platform/telemetry/logger.ts';
import { createMetrics } from '../../src/platform/telemetry/metrics.ts';
import { tracingOff } from '../../src/platform/telemetry/tracing/tracing.ts';
import type { ConfigInput } from '../../src/settings.ts';
import { configWith } from './config.ts';
import type { ScriptedBots } from './document-index/scripted-bots.ts';
import { openDatabase } from './stores/open-database.ts';

interface DispatcherOptions {
  config?: z.input<typeof ConfigInput>;
  /** Callers need a key. */
  closed?: boolean;
  launcher?: PodStarter;
  /** A folder for the database that is kept after the dispatcher stops. */
  folder?: string;
  clock?: Clock;
  logger?: Logger;
  /** Handles proxied requests in Fastify instead of in the dispatcher's own HTTP server. */
  withoutFront?: boolean;
  /** Bots that are offered as models and tools. */
  bots?: Pick<ScriptedBots, 'bots' | 'answering'>;
}

export interface RunningDispatcher {
  url: string;
  localTransport: InferenceTransport;
  database: Database;
  folder: string;
  metrics(): Promise<string>;
  /** `POST /pods-info/` with a report. */
  report(info: Partial<PodInfo>): Promise<PodRecord>;
  pods(): Promise<PodRecord[]>;
  chat(body?: Record<string, unknown>, options?: RequestInit): Promise<Response>;
  key(limits?: ApiKeyRequest['limits'], scopes?: Scope[]): Promise<{ key: string; id: string }>;
  /** Stops; running requests get this many milliseconds to finish. */
  close(drainFor?: number): Promise<void>;
}

const noLauncher: PodStarter = {
  start: () => Promise.reject(new Error('nothing is launched here')),
  stop: async () => undefined,
  get: () => undefined,
};

/** The dispatcher on a real HTTP server, in this process, on a free port and with its own database. */
export async function startDispatcher(options: DispatcherOptions = {}): Promise<RunningDispatcher> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'roundhouse-dispatcher-'));
  const config = configWith({ data_dir: folder, auth: { open: !options.closed }, ...options.config }, folder);
  const clock = options.clock ?? systemClock;
  const logger = options.logger ?? silentLogger();
  const database = await openDatabase({ url: config.database.url });
  const ring = await openKeyRing({ database, clock: systemClock, logger });
  const metrics = createMetrics({ version: '0.0.0', processMetrics: false });
  const access = {
    authenticate: ring.authenticate,
    open: config.auth.open,
    refuseForeign: refuseForeign(config),
  };
  const launcher = options.launcher ?? noLauncher;
  const { workers } = config.dispatcher;
  const metering = await openMetering({ database, clock, logger, workers: workers > 1 ? workers : 0 });
  const shared = { config, database, clock, logger, metrics, tracing: tracingOff, access, metering };
  const part = await openDispatcher(shared, { launcher });
  const { services = [], serverFactory, localTransport, start } = part;
  const { public: bots, public_requests_per_minute: most } = config.chatbot;
  const publicBots = new PublicBots(bots, new AddressLimits(clock, most));
  const readers = new Readers({ access, publicBots });
  const surfaces = options.bots && openBotSurfaces(shared, { ...options.bots, readers, publicBots });
  if (surfaces) part.offer(surfaces.models);
  const { app, drain } = await buildApp({
    services: [...services, ...(surfaces?.services ?? [])],
    logger,
    metrics,
    access,
    programVersion: '0.0.0',
    http: config.http,
    serverFactory: options.withoutFront ? undefined : serverFactory,
  });
  const url = await listen(app, { host: '127.0.0.1', port: config.port ?? 0, workers: part.workers });
  await start?.();

  const post = (path: string, body: unknown) =>
    fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  return {
    url,
    localTransport,
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
      createKey({ database, clock: systemClock, ring }, platformActor('test'), {
        name: 'test',
        scopes,
        limits,
      }),
    async close(drainFor = 0) {
      await drain.close(drainFor);
      await metering.close();
      await ring.close();
      await database.close();
      if (!options.folder) rmSync(folder, { recursive: true, force: true });
    },
  };
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/contracts/clock.ts';
import { fixedSlots } from '../../src/contracts/management/deployments.ts';
import type { Job } from '../../src/contracts/management/jobs.ts';
import { openDispatcher } from '../../src/dispatcher/part.ts';
import { ProcessLauncher } from '../../src/launchers/process/process-launcher.ts';
import type { FreeMemory } from '../../src/management/deployments/memory/check-memory.ts';
import { type Deployments, openDeployments } from '../../src/management/deployments/open-deployments.ts';
import type {
  DeployableModel,
  DeployableModels,
} from '../../src/management/deployments/planning/deployable-models.ts';
import { SlotDirectory } from '../../src/management/deployments/records/slot-directory.ts';
import { inferenceService } from '../../src/management/inference/inference-service.ts';
import { namedSlotsService } from '../../src/management/inference/named-slots-service.ts';
import { slotService } from '../../src/management/inference/slot-service.ts';
import { serveDeployments } from '../../src/management/inference/surfaces.ts';
import { managementService } from '../../src/management/management-service.ts';
import { openKeyRing } from '../../src/platform/auth/key-ring.ts';
import { openBlobs } from '../../src/platform/blobs/open-blobs.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { buildApp } from '../../src/platform/http/build-app.ts';
import type { ServedSurface } from '../../src/platform/inference/inference-front.ts';
import { openMetering } from '../../src/platform/metering/open-metering.ts';
import { createWorkRunner } from '../../src/platform/queue/running/work-runner.ts';
import { createWorkQueue } from '../../src/platform/queue/work-queue.ts';
import { silentLogger } from '../../src/platform/telemetry/logger.ts';
import { createMetrics } from '../../src/platform/telemetry/metrics.ts';
import { tracingOff } from '../../src/platform/telemetry/tracing/tracing.ts';
import { configWith } from './config.ts';
import { openDatabase } from './stores/open-database.ts';
import { until } from './until.ts';

/** A model that tests deploy, and its file. */
export type KnownModel = DeployableModel & { path: string };

interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
  body: any;
}

export interface DeploymentStack {
  url: string;
  folder: string;
  launcher: ProcessLauncher;
  models: Map<string, KnownModel>;
  /** The free memory that the machine reports. */
  memory: FreeMemory;
  starters: Deployments['starters'];
  database: Database;
  call(method: 'GET' | 'POST', path: string, body?: unknown): Promise<Answer>;
  ended(jobId: string): Promise<Job>;
  deploy(body: Record<string, unknown>, slot?: string): Promise<Job>;
  close(): Promise<void>;
}

export const knownModel = (
  model_id: string,
  path: string,
  more: Partial<DeployableModel> = {},
): KnownModel => ({
  model_id,
  path,
  task: 'llm',
  engines: ['llamacpp'],
  reason: null,
  quantization: null,
  memory_bytes: 1e6,
  names: [model_id],
  adapter: null,
  ...more,
});

/** Deployments with the real launcher, dispatcher, database and HTTP server; only the model library is a fake. */
export async function startDeployments(
  options: {
    folder?: string;
    models?: Map<string, KnownModel>;
    drainTimeout?: string;
    aliases?: Record<string, string>;
  } = {},
): Promise<DeploymentStack> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'deployments-'));
  const settings = {
    data_dir: folder,
    deployments: { drain_timeout: options.drainTimeout ?? '20s' },
    dispatcher: { aliases: options.aliases ?? {} },
  };
  const config = configWith(settings, folder);
  const logger = silentLogger();
  const clock = systemClock;
  const database = await openDatabase({ url: config.database.url });
  const ring = await openKeyRing({ database, clock, logger });
  const blobs = await openBlobs(config.blobs);
  const metrics = createMetrics({ version: '0.0.0', processMetrics: false });
  const access = { authenticate: ring.authenticate, open: true };
  const queue = createWorkQueue({ database, clock });
  const directory = new SlotDirectory({ database, clock, handover: config.deployments.handover });
  await directory.open();
  let url = '';
  const launcher = new ProcessLauncher({
    data_dir: folder,
    main: join(import.meta.dirname, '../../src/cli/main.ts'),
    dispatcher: () => url,
    environment: { ...process.env, ROUNDHOUSE_DATA_DIR: folder },
    restart: { first: 10, longest: 10, stableAfter: 60_000, loopAfter: 5 },
  });
  const metering = await openMetering({ database, clock, logger });
  const foundation = { config, database, clock, logger, metrics, tracing: tracingOff, access, metering };
  const dispatcher = await openDispatcher(foundation, { launcher });
  const surfaces = serveDeployments(dispatcher.inference, directory);
  const known = options.models ?? new Map<string, KnownModel>();
  const memory: FreeMemory = { ram: 64e9, gpus: [] };
  const models: DeployableModels = {
    find: async (id) => known.get(id),
    pathFor: async (id) => known.get(id)?.path ?? '',
  };
  const deployments = openDeployments({
    ...foundation,
    queue,
    launcher,
    directory,
    models,
    freeMemory: async () => memory,
    dispatcherPods: dispatcher.pods,
  });
  const runner = createWorkRunner({
    database,
    queue,
    clock,
    logger,
    machine: config.machine,
    kinds: deployments.work,
    pollEvery: 100,
  });
  const management = managementService({
    ...foundation,
    ring,
    queue,
    blobs,
    bucket: 'roundhouse',
    datasetLimits: { largest: 2 ** 20 },
    deployments: deployments.routes,
    inference: surfaces.all,
    events: { queue, pods: dispatcher.pods },
  });
  const slot = { deployments: deployments.routes, front: dispatcher.inference };
  const { app, drain } = await buildApp({
    services: [
      ...(dispatcher.services ?? []),
      management,
      ...fixedSlots.map((name) =>
        slotService(name, { ...slot, surface: surfaces.slots.get(name) as ServedSurface }),
      ),
      namedSlotsService({ ...slot, surfaces: surfaces.slots }),
      inferenceService({
        names: () => directory.names('chat'),
        front: dispatcher.inference,
        surface: surfaces.chat,
      }),
    ],
    logger,
    metrics,
    access,
    programVersion: '0.0.0',
    http: config.http,
    serverFactory: dispatcher.serverFactory,
  });
  url = await app.listen({ host: '127.0.0.1', port: 0 });
  await deployments.resume();
  runner.start();

  const call = async (method: 'GET' | 'POST', path: string, body?: unknown): Promise<Answer> => {
    const json = { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const answer = await fetch(url + path, { method, ...(body === undefined ? {} : json) });
    return { status: answer.status, body: await answer.json() };
  };
  const ended = (jobId: string) =>
    until(
      `job ${jobId} to end`,
      async () => {
        const { body } = await call('GET', `/api/v1/jobs/${jobId}/status/`);
        return ['FINISHED', 'FAILED', 'KILLED'].includes(body.status) ? (body as Job) : undefined;
      },
      120_000,
    );
  return {
    url,
    folder,
    launcher,
    models: known,
    memory,
    starters: deployments.starters,
    database,
    call,
    ended,
    async deploy(body, slot) {
      const { body: job } = await call('POST', slot ? `/api/${slot}/v1/deploy/` : '/api/v1/deploy/', body);
      return ended(job.id);
    },
    async close() {
      await drain.close(1_000);
      await deployments.close();
      await runner.stop();
      await launcher.close();
      await metering.close();
      await ring.close();
      await blobs.close();
      await database.close();
      if (!options.folder) rmSync(folder, { recursive: true, force: true });
    },
  };
}

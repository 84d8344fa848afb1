import { accessSync, constants, mkdirSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { sql } from 'kysely';
import { consoleService } from './console/console-service.ts';
import { systemClock } from './contracts/clock.ts';
import { createDispatcher } from './dispatcher/dispatcher-service.ts';
import { frontedServer } from './dispatcher/fronted-server.ts';
import { documentIndexService } from './document-index/document-index-service.ts';
import { hostedService } from './hosted/hosted-service.ts';
import { ProcessLauncher } from './launchers/process/process-launcher.ts';
import { deployedPaths, isDeployed } from './management/deployments/deployments.ts';
import { type Deployments, openDeployments } from './management/deployments/open-deployments.ts';
import { freeMemory } from './management/deployments/planning/free-memory.ts';
import { libraryModels } from './management/deployments/planning/library-models.ts';
import { SlotDirectory } from './management/deployments/slots/slot-directory.ts';
import { createTrainer, openFinetuning } from './management/finetuning/open-finetuning.ts';
import { RemoteDispatcher } from './management/inference/remote-dispatcher.ts';
import { followSlots, inferenceSurfaces } from './management/inference/surfaces.ts';
import { managementService } from './management/management-service.ts';
import { managementWork } from './management/management-work.ts';
import type { StarterEvent } from './models/catalog/bring-up-starters.ts';
import { enginesHere } from './models/engines-here.ts';
import { openModels } from './models/open-models.ts';
import { type AdminKey, ensureAdminKey, readAdminKey } from './platform/auth/admin-key.ts';
import { openKeyRing } from './platform/auth/key-ring.ts';
import type { BlobStore } from './platform/blobs/blob-store.ts';
import { openBlobs } from './platform/blobs/open-blobs.ts';
import { processEnvironment } from './platform/config/environment.ts';
import { podEnvironment } from './platform/config/pod-environment.ts';
import type { Config } from './platform/config/resolve-config.ts';
import type { Database } from './platform/database/database.ts';
import { openDatabase } from './platform/database/open-database.ts';
import { type BuiltApp, buildApp } from './platform/http/build-app.ts';
import { listen } from './platform/http/listen.ts';
import type { Readiness, Service } from './platform/http/service.ts';
import { openMetering } from './platform/metering/open-metering.ts';
import { createWorkQueue } from './platform/queue/work-queue.ts';
import { createWorkRunner } from './platform/queue/work-runner.ts';
import { StartupError } from './platform/startup-error.ts';
import type { Logger } from './platform/telemetry/logger.ts';
import { createMetrics } from './platform/telemetry/metrics.ts';
import { startLogging, startTraces } from './platform/telemetry/start-telemetry.ts';
import { programVersion } from './platform/version.ts';

/** The services that `--only` can name. */
export const serviceNames = ['dispatcher', 'management', 'hosted', 'index', 'chatbot', 'console'] as const;
export type ServiceName = (typeof serviceNames)[number];

export interface Platform {
  built: BuiltApp;
  logger: Logger;
  /** Where it listens, once `start` has been called. */
  start(): Promise<string>;
  /** Fetches and serves the starter models, where the configuration wants them; settles when they serve or can't. */
  bringUpStarters(onEvent: (event: StarterEvent) => void): Promise<void>;
  stop(): Promise<void>;
  adminKey: AdminKey;
}

/** Opens what the platform stands on and builds the services asked for. Nothing listens before `start`. */
export async function buildPlatform(
  config: Config,
  only: readonly ServiceName[] = serviceNames,
): Promise<Platform> {
  prepareDataFolder(config.data_dir);
  const logger = startLogging(config.telemetry, 'roundhouse');
  const opened: (() => Promise<void>)[] = [];
  const stopping = new AbortController();
  const stopAll = async () => {
    stopping.abort();
    for (const close of opened.splice(0).reverse()) await close();
  };
  try {
    const tracing = await startTraces(config.telemetry, logger);
    opened.push(() => tracing.close());
    const database = await openDatabase({ url: config.database.url, logger });
    opened.push(() => database.close());
    const blobs = await openBlobs(config.blobs);
    opened.push(() => blobs.close());
    const adminKey = await ensureAdminKey({
      database,
      clock: systemClock,
      dataDir: config.data_dir,
      configured: config.admin_token,
    });
    const ownKey = config.admin_token ?? readAdminKey(adminKey.file);
    const ring = await openKeyRing({ database, clock: systemClock, logger });
    opened.push(() => ring.close());
    const { workers } = config.dispatcher;
    const metering = await openMetering({
      database,
      clock: systemClock,
      logger,
      workers: only.includes('dispatcher') && workers > 1 ? workers : 0,
    });
    opened.push(() => metering.close());
    const queue = createWorkQueue({ database, clock: systemClock, logger });
    const environment = processEnvironment();
    const directory = new SlotDirectory({
      database,
      clock: systemClock,
      handover: config.deployments.handover,
    });
    await directory.open();
    const models = await openModels({
      config,
      database,
      clock: systemClock,
      queue,
      environment,
      engines: enginesHere(environment),
      isDeployed: (id) => isDeployed({ directory, queue }, id),
      deployedPaths: () => deployedPaths({ database }),
      converter: { tools: createTrainer(config, environment) },
    });
    const datasets = {
      database,
      clock: systemClock,
      queue,
      blobs,
      bucket: bucketOf(config.blobs.url),
      datasetLimits: { largest: config.datasets.max_size },
    };
    const finetuning = openFinetuning({
      config,
      database,
      clock: systemClock,
      logger,
      queue,
      environment,
      engines: enginesHere(environment),
      library: models.library,
      datasets,
    });

    const metrics = createMetrics({ version: programVersion });
    const access = { authenticate: ring.authenticate, open: config.auth.open };
    let address: string | undefined;
    const launcher = new ProcessLauncher({
      data_dir: config.data_dir,
      main: join(import.meta.dirname, 'cli', 'main.ts'),
      dispatcher: () => (only.includes('dispatcher') ? address : config.dispatcher.url),
      environment: podEnvironment(config, environment, ownKey),
    });
    opened.push(() => launcher.close());
    const foundation = { config, database, clock: systemClock, logger, metrics, tracing, access, metering };
    const dispatcher = only.includes('dispatcher')
      ? await createDispatcher({ ...foundation, launcher, surfaces: inferenceSurfaces() })
      : undefined;
    if (dispatcher) followSlots(directory, dispatcher.setAliases);
    const remote =
      dispatcher || !only.includes('management')
        ? undefined
        : new RemoteDispatcher({
            url: config.dispatcher.url,
            key: ownKey,
            logger,
          });
    if (remote) opened.push(async () => remote.close());
    const desk = dispatcher?.pods ?? remote;
    const inference = dispatcher ? { forward: dispatcher.front.take, models: dispatcher.models } : remote;
    const deployments =
      desk &&
      inference &&
      openDeployments({
        ...foundation,
        queue,
        launcher,
        directory,
        models: libraryModels({
          ...models,
          improvementOf: async (id) => (await finetuning.comparisonOf(id))?.improvement ?? null,
        }),
        freeMemory,
        desk,
        inference,
      });
    const kinds = only.includes('management') ? managementWork({ models, deployments, finetuning }) : {};
    const runner = createWorkRunner({ database, queue, clock: systemClock, logger, kinds });
    opened.push(() => runner.stop());
    if (deployments) opened.push(() => deployments.close());

    const makers: Partial<Record<ServiceName, () => Service | Service[] | undefined>> = {
      dispatcher: () => dispatcher?.service,
      console: consoleService,
      management: () => [
        managementService({
          ...datasets,
          ring,
          models: models.changes,
          deployments: deployments?.routes,
          finetuning,
          events: desk && { queue, pods: desk },
        }),
        ...(deployments?.services ?? []),
      ],
      hosted: hostedService,
      index: documentIndexService,
    };
    const built = await buildApp({
      services: only.flatMap((name) => makers[name]?.() ?? []),
      logger,
      metrics,
      tracing,
      access,
      programVersion,
      http: config.http,
      ...(dispatcher
        ? { serverFactory: (handler: RequestListener) => frontedServer(dispatcher.front, handler) }
        : {}),
      parts: { blobs: () => blobReadiness(blobs), database: () => databaseReadiness(database) },
    });
    opened.push(() => built.drain.close(config.http.drain_timeout));
    return {
      built,
      logger,
      adminKey,
      async start() {
        const { host, port = defaultPort(only) } = config;
        address = await listen(built.app, { host, port, workers: dispatcher?.workers });
        await dispatcher?.resume();
        if (only.includes('management')) await models.sweep();
        if (only.includes('management')) await deployments?.resume();
        // Work may start pods, which report to that address.
        runner.start();
        return address;
      },
      async bringUpStarters(onEvent) {
        if (!config.starter || !deployments || !only.includes('management')) return;
        await bringUpStarters(config, deployments.starters, onEvent, stopping.signal);
      },
      stop: stopAll,
    };
  } catch (error) {
    await stopAll();
    throw error;
  }
}

/** Loaded when it is needed: a platform without starter models does not pay for it. */
async function bringUpStarters(
  config: Config,
  deployments: Deployments['starters'],
  onEvent: (event: StarterEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  const { bringUpStarters } = await import('./models/catalog/bring-up-starters.ts');
  const { readCatalog } = await import('./models/catalog/catalog.ts');
  const { ModelStore } = await import('./models/catalog/model-store.ts');
  const { findOrigins } = await import('./models/packages/package-origins.ts');
  const { hub, packages, data_dir } = config;
  const origins = await findOrigins({ hub, packages, environment: processEnvironment() });
  const deps = { catalog: readCatalog(), store: new ModelStore(data_dir), origins, deployments };
  await bringUpStarters(deps, onEvent, signal);
}

async function databaseReadiness(database: Database): Promise<Readiness> {
  await sql`select 1`.execute(database.query);
  return { ready: true, detail: database.dialect };
}

async function blobReadiness(blobs: BlobStore): Promise<Readiness> {
  await blobs.check();
  return { ready: true };
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

/** The bucket's name; files on a disk are named as if they lay in one. */
const bucketOf = (url: string) => /^s3:\/\/([^/]+)/.exec(url)?.[1] ?? 'roundhouse';

/** The chatbot alone is a web site of its own, on the port that browsers try. */
const defaultPort = (only: readonly ServiceName[]) =>
  only.length === 1 && only[0] === 'chatbot' ? 80 : 5500;

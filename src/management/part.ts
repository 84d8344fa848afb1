import type { DispatcherPods, PodRunner } from '../contracts/launching.ts';
import { fixedSlots } from '../contracts/management/deployments.ts';
import type { BotCounts } from '../contracts/management/status.ts';
import { bringUpStarters, type StarterEvent } from '../models/catalog/bring-up-starters.ts';
import { enginesHere } from '../models/engines-here.ts';
import { type ModelConfig, openModels } from '../models/open-models.ts';
import { keepPruningAudit } from '../platform/audit/prune-audit.ts';
import { databaseIdentity } from '../platform/database/identity-store.ts';
import type { Readiness } from '../platform/http/service.ts';
import type { InferenceFront, ServedSurface } from '../platform/inference/inference-front.ts';
import type { Foundation, Part } from '../platform/parts/part.ts';
import { programVersion } from '../platform/version.ts';
import type { DatasetDependencies } from './datasets/dataset-record.ts';
import { deployedPaths, isDeployed } from './deployments/deploying/deployed-models.ts';
import { freeMemoryOf } from './deployments/memory/free-memory.ts';
import { openDeployments } from './deployments/open-deployments.ts';
import { libraryModels } from './deployments/planning/library-models.ts';
import { RemotePods } from './deployments/pods/remote-pods.ts';
import { SlotDirectory } from './deployments/records/slot-directory.ts';
import { createTrainer, openFinetuning } from './finetuning/open-finetuning.ts';
import { inferenceService } from './inference/inference-service.ts';
import { namedSlotsService } from './inference/named-slots-service.ts';
import { slotService } from './inference/slot-service.ts';
import { serveDeployments } from './inference/surfaces.ts';
import { managementService } from './management-service.ts';
import type { ManagementSettings } from './settings.ts';

/** `dispatcher.url`: address of the dispatcher if it runs in another process. */
interface ManagementConfig extends ManagementSettings, ModelConfig {
  dispatcher: { url: string };
}

interface ManagementNeeds {
  launcher: PodRunner;
  inference: InferenceFront;
  /** The pods of the dispatcher in this process; undefined if it runs in another. */
  pods: DispatcherPods | undefined;
  /** How many bots there are; null if no part of this process knows. */
  bots(): Promise<BotCounts | null>;
}

export interface ManagementPart extends Part {
  /** What each slot serves. */
  slots: Pick<SlotDirectory, 'names' | 'onChange'>;
  /** Fetches and serves the starter models if the settings say so; resolves when each serves or has failed. */
  bringUpStarters(onEvent: (event: StarterEvent) => void): Promise<void>;
  /** What is wrong with the dispatcher in another process, once it was asked; null where nothing is. */
  dispatcherProblem(): Promise<string | null>;
}

/** The management API: models, deployments, jobs, data sets, fine-tuning, keys. */
export async function openManagement(
  foundation: Foundation<ManagementConfig>,
  { launcher, inference, pods, bots }: ManagementNeeds,
): Promise<ManagementPart> {
  const { config, database, clock, queue, environment } = foundation;
  const stopping = new AbortController();
  let pruning: ReturnType<typeof keepPruningAudit> | undefined;
  const engines = enginesHere(environment);
  const directory = new SlotDirectory({ database, clock, handover: config.deployments.handover });
  await directory.open();
  const models = await openModels({
    ...foundation,
    engines,
    isDeployed: (id) => isDeployed({ directory, queue }, id),
    deployedPaths: () => deployedPaths({ database }),
    converter: { tools: createTrainer(config, environment) },
  });
  const datasets = datasetDependencies(foundation);
  const { catalog } = models.catalogDownloads;
  const finetuning = openFinetuning({ ...foundation, engines, library: models.library, catalog, datasets });
  const remotePods = pods ? undefined : await remotePodsOf(foundation);
  const dispatcherPods = pods ?? (remotePods as RemotePods);
  const deployments = openDeployments({
    ...foundation,
    launcher,
    directory,
    models: libraryModels({
      ...models,
      improvementOf: async (id) => (await finetuning.comparisonOf(id))?.improvement ?? null,
    }),
    freeMemory: freeMemoryOf(environment),
    dispatcherPods,
  });
  const surfaces = serveDeployments(inference, directory);
  const slot = { deployments: deployments.routes, front: inference };
  return {
    slots: directory,
    services: [
      managementService({
        ...datasets,
        ring: foundation.ring,
        models: models.changes,
        modelFiles: models.files,
        deployments: deployments.routes,
        inference: surfaces.all,
        finetuning,
        events: { queue, pods: dispatcherPods },
        status: {
          deployments: deployments.routes,
          queue,
          dataDir: config.data_dir,
          version: programVersion,
          startedAt: clock.now(),
          address: foundation.address,
          bots,
        },
        ...(remotePods ? { ready: () => readinessOf(remotePods) } : {}),
      }),
      ...fixedSlots.map((name) =>
        slotService(name, { ...slot, surface: surfaces.slots.get(name) as ServedSurface }),
      ),
      namedSlotsService({ ...slot, surfaces: surfaces.slots }),
      inferenceService({ names: () => directory.names('chat'), front: inference, surface: surfaces.chat }),
    ],
    work: { ...models.work, ...deployments.work, ...finetuning.work },
    async start() {
      pruning = keepPruningAudit({ ...foundation, retention: config.audit.retention });
      await models.sweep();
      await deployments.resume();
    },
    async dispatcherProblem() {
      await remotePods?.asked;
      return remotePods?.problem ?? null;
    },
    async bringUpStarters(onEvent) {
      if (!config.starter) return;
      const starters = { ...models.catalogDownloads, deployments: deployments.starters };
      await bringUpStarters(starters, onEvent, stopping.signal);
    },
    async close() {
      stopping.abort();
      remotePods?.close();
      await pruning?.close();
      await deployments.close();
    },
  };
}

function readinessOf({ problem }: RemotePods): Readiness {
  return problem === null ? { ready: true } : { ready: false, detail: problem };
}

async function remotePodsOf(foundation: Foundation<ManagementConfig>): Promise<RemotePods> {
  const { config, ownKey, logger, database: own } = foundation;
  // A SQLite database belongs to one process, so the dispatcher has another one.
  const database = own.exclusive ? undefined : await databaseIdentity(own);
  return new RemotePods({ url: config.dispatcher.url, key: ownKey, database, logger });
}

function datasetDependencies({
  config,
  database,
  clock,
  queue,
  blobs,
}: Foundation<ManagementConfig>): DatasetDependencies & Pick<Foundation, 'queue'> {
  return {
    database,
    clock,
    queue,
    blobs,
    // Files on disk get an s3:// path too, with this bucket name.
    bucket: /^s3:\/\/([^/]+)/.exec(config.blobs.url)?.[1] ?? 'roundhouse',
    datasetLimits: { largest: config.datasets.max_size },
  };
}

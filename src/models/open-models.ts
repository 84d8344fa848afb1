import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../contracts/clock.ts';
import type { PodEngine } from '../contracts/dispatcher/pod-plan.ts';
import type { Database } from '../platform/database/database.ts';
import type { WorkKind } from '../platform/queue/work-kind.ts';
import type { WorkQueue } from '../platform/queue/work-queue.ts';
import { readCatalogs } from './catalog/catalog.ts';
import { ModelStore } from './catalog/model-store.ts';
import type { PullDependencies } from './catalog/pull-model.ts';
import { adapterFile } from './conversion/adapters/adapter-file.ts';
import type { Converter } from './conversion/conversion-step.ts';
import { servedForm } from './conversion/served-form.ts';
import { hubHome } from './hub/find-cached.ts';
import { HubCache } from './hub/hub-cache.ts';
import { createHubClient } from './hub/hub-client.ts';
import { hubSearch } from './hub/search-hub.ts';
import { downloadWork } from './library/download-work.ts';
import { createModelLibrary, type ModelLibrary } from './library/model-library.ts';
import type { ModelRecord } from './library/model-record.ts';
import { freeReplaced } from './library/removal/free-replaced.ts';
import { listReplaced } from './library/removal/replaced-store.ts';
import { sweepConversions } from './library/removal/sweep-conversions.ts';
import { sweepImported } from './library/removal/sweep-imported.ts';
import type { RemoveDependencies } from './library/remove-model.ts';
import type { SearchDependencies } from './library/search-models.ts';
import { FileHashes } from './library/serving/file-hashes.ts';
import type { FileDependencies } from './library/serving/list-files.ts';
import type { AddDependencies } from './library/start-download.ts';
import { findOrigins, isProxied } from './packages/package-origins.ts';
import type { ModelSettings } from './settings.ts';

/** The settings that models are opened with. */
export type ModelConfig = ModelSettings;

interface OpenDependencies {
  config: ModelSettings & { data_dir: string };
  database: Database;
  clock: Clock;
  queue: WorkQueue;
  environment: Record<string, string | undefined>;
  /** The engines that run here. */
  engines: readonly PodEngine[];
  isDeployed(id: string): boolean | Promise<boolean>;
  /** Files and folders that pods of deployments are started with. */
  deployedPaths(): Promise<string[]>;
  /** Converts models that only llama.cpp could serve to GGUF; without one, nothing is converted. */
  converter?: Converter;
}

export interface Models {
  library: ModelLibrary;
  /** The dependencies of searching, adding, importing and removing models. */
  changes: AddDependencies & RemoveDependencies & SearchDependencies & { library: ModelLibrary };
  /** What serving the files to other machines needs. */
  files: FileDependencies;
  /** What fetching catalog models needs. */
  catalogDownloads: PullDependencies;
  work: { DOWNLOAD: WorkKind };
  /** What an engine loads for an adapter on this base; throws where the adapter was made for another one. */
  adapterFile(adapter: ModelRecord, base: ModelRecord): Promise<string>;
  /** Called at startup: deletes what processes that have ended left behind. */
  sweep(): Promise<void>;
}

/** Opens the room: the library, the work that downloads models, and what changes them. */
export async function openModels(deps: OpenDependencies): Promise<Models> {
  const { config, database, clock, queue, environment, engines, isDeployed, deployedPaths } = deps;
  const home = hubHome(config.hub.home, environment);
  const token = config.hub.token ?? readToken(home);
  const hub = createHubClient({ endpoint: config.hub.endpoint, token, proxied: isProxied(environment) });
  const cache = new HubCache(join(home, 'hub'));
  const { catalog, hubModels } = readCatalogs();
  const catalogModels = new ModelStore(config.data_dir);
  const origins = await findOrigins({
    hub: { ...config.hub, token },
    packages: config.packages,
    environment,
  });
  const library = createModelLibrary({ database, catalogModels, engines, hubModels });
  const importedFolder = join(config.data_dir, 'imported');
  const convertedFolder = join(config.data_dir, 'converted');
  const files = { database, cache, catalogModels, convertedFolder, deployedPaths };
  return {
    library,
    adapterFile: (adapter, base) => adapterFile(convertedFolder, adapter, servedForm(base)),
    async sweep() {
      await freeReplaced(files);
      await sweepImported(database, importedFolder);
      const records = [...(await library.list()), ...(await listReplaced(database))];
      const folders = { convertedFolder, cacheRoot: cache.root };
      await sweepConversions(folders, records, await deployedPaths());
    },
    files: { library, hashes: new FileHashes() },
    catalogDownloads: { catalog, store: catalogModels, origins },
    changes: {
      ...files,
      clock,
      queue,
      catalog,
      hubModels,
      library,
      isDeployed,
      searchHub: hubSearch({ endpoint: config.hub.endpoint, token }),
    },
    work: {
      DOWNLOAD: downloadWork({
        ...files,
        hub,
        engines,
        clock,
        catalog,
        origins,
        importedFolder,
        converter: deps.converter,
      }) as WorkKind,
    },
  };
}

/** Written by the hub's own login command. */
function readToken(home: string): string | undefined {
  try {
    return readFileSync(join(home, 'token'), 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}

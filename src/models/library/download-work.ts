import { join } from 'node:path';
import type { Clock } from '../../contracts/clock.ts';
import type { WorkContext, WorkKind } from '../../platform/queue/work-kind.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { ModelStore } from '../catalog/model-store.ts';
import { pullModel } from '../catalog/pull-model.ts';
import { type Converter, convertWhereNeeded } from '../conversion/conversion-step.ts';
import { adapterBase, readFacts, taskOfTag } from '../facts/read-facts.ts';
import { isTemporary } from '../files/http/patience.ts';
import { makeDurable } from '../files/make-durable.ts';
import { fetchModel, type HubFetchDependencies } from '../hub/fetch-model.ts';
import type { HubCache } from '../hub/hub-cache.ts';
import { parseModelId } from '../hub/model-reference.ts';
import type { Origins } from '../packages/package-origins.ts';
import { importFolder } from './import-folder.ts';
import { entryOf } from './model-library.ts';
import { type SaveDependencies, saveArrived } from './save-arrived.ts';
import type { DownloadPayload } from './start-download.ts';

export interface DownloadDependencies extends HubFetchDependencies, SaveDependencies {
  cache: HubCache;
  clock: Clock;
  catalog: Catalog;
  catalogModels: ModelStore;
  origins: Origins;
  /** Where imported models are kept. */
  importedFolder: string;
  /** Converts models to GGUF where an engine needs that; without one, nothing is converted. */
  converter?: Converter | undefined;
}

type Context = WorkContext<DownloadPayload>;

/** The work behind `models add`. After a crash it continues from what is on disk. */
export function downloadWork(deps: DownloadDependencies): WorkKind<DownloadPayload> {
  return {
    concurrency: 2,
    afterCrash: 'resume',
    attempts: 6,
    // The engine has already retried for a while, so wait longer for the network to come back.
    retryAfter: (attempt, error) => (isTemporary(error) ? 15_000 * 2 ** attempt : null),
    async run(context) {
      const { payload } = context;
      if (payload.from === 'hub') return fromHub(deps, context, payload);
      if (payload.from === 'catalog') return fromCatalog(deps, context);
      return importFolder(deps, context, payload);
    },
  };
}

async function fromHub(
  deps: DownloadDependencies,
  context: Context,
  payload: DownloadPayload & { from: 'hub' },
): Promise<void> {
  const { signal } = context;
  const model = await fetchModel(deps, parseModelId(payload.model_id), {
    signal,
    allowPickle: payload.allow_pickle,
    onProgress: (done, total) => context.report({ done, total, unit: 'bytes' }),
  });
  const { repository, folder, format } = model;
  const arrived = { folder, format, files: model.files.map((file) => file.path) };
  await makeDurable(arrived.files.map((file) => join(folder, file)));
  const hints = {
    license: repository.license,
    task: taskOfTag(repository.pipelineTag),
    revision: repository.commit,
  };
  const { facts, files } = await convertWhereNeeded(
    deps,
    { ...arrived, id: payload.model_id, facts: await readFacts(arrived, hints, deps.engines) },
    { signal, onProgress: context.report },
  );
  await saveArrived(deps, context, {
    id: payload.model_id,
    adapter: format === 'peft',
    baseModelId: format === 'peft' ? (adapterBase(folder) ?? repository.baseModel) : null,
    originModelId: format === 'peft' ? null : (repository.baseModel ?? repository.name),
    source: 'hub',
    repository: repository.name,
    revision: repository.commit,
    format,
    folder,
    entry: entryOf(folder, format, files),
    files,
    facts,
    addedAt: deps.clock.now(),
  });
}

async function fromCatalog(deps: DownloadDependencies, context: Context): Promise<void> {
  const { catalog, catalogModels, origins } = deps;
  await pullModel({ catalog, store: catalogModels, origins }, context.payload.model_id, {
    signal: context.signal,
    onProgress: ({ done, total, file }) =>
      context.report({ done, total: total ?? null, unit: 'bytes', message: file }),
  });
}

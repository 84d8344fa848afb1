import { join } from 'node:path';
import type { Clock } from '../../contracts/clock.ts';
import type { WorkContext, WorkKind } from '../../platform/queue/work-kind.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { ModelStore } from '../catalog/model-store.ts';
import { pullModel } from '../catalog/pull-model.ts';
import { type Converter, convertWhereNeeded } from '../conversion/conversion-step.ts';
import { adapterBase, readFacts, taskOfTag } from '../facts/read-facts.ts';
import { isTemporary, isUnknownHost } from '../files/http/patience.ts';
import { withFolderLock } from '../files/locks/folder-lock.ts';
import { makeDurable } from '../files/make-durable.ts';
import { type FetchedModel, fetchModel, type HubFetchDependencies } from '../hub/fetch-model.ts';
import type { HubCache } from '../hub/hub-cache.ts';
import { parseModelId } from '../hub/model-reference.ts';
import type { Origins } from '../packages/package-origins.ts';
import { importFolder } from './importing/import-folder.ts';
import { entryOf } from './model-library.ts';
import type { FreeDependencies } from './removal/free-files.ts';
import { freeReplaced } from './removal/free-replaced.ts';
import { saveArrived } from './save-arrived.ts';
import type { DownloadPayload } from './start-download.ts';

export interface DownloadDependencies extends HubFetchDependencies, FreeDependencies {
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
    retryAfter: pauseBefore,
    async run(context) {
      const { payload } = context;
      if (payload.from === 'catalog') return fromCatalog(deps, context);
      if (payload.from === 'folder') await importFolder(deps, context, payload);
      else await fromHub(deps, context, payload);
      await freeReplaced(deps, payload.model_id);
    },
  };
}

/** The engine has already retried for a while, so wait longer for the network to come back: up to 15 minutes in all. */
export function pauseBefore(attempt: number, error: unknown): number | null {
  if (!isTemporary(error)) return null;
  // A mistyped name never resolves; a machine that has just started has its network in half a minute.
  if (isUnknownHost(error)) return attempt < 3 ? 10_000 * attempt : null;
  return 15_000 * 2 ** attempt;
}

/** Locked against other platforms, and deletions of this one, that use the same cache. */
async function fromHub(
  deps: DownloadDependencies,
  context: Context,
  payload: DownloadPayload & { from: 'hub' },
): Promise<void> {
  const { signal, report } = context;
  const reference = parseModelId(payload.model_id);
  const onWait = (message: string) => report({ done: 0, total: null, unit: 'bytes', message });
  await withFolderLock(await deps.cache.lockable(reference.repository), { signal, onWait }, async () => {
    const model = await fetchModel(deps, reference, {
      signal,
      allowPickle: payload.allow_pickle,
      onProgress: (done, total) => report({ done, total, unit: 'bytes' }),
    });
    await keepModel(deps, context, payload.model_id, model);
  });
}

async function keepModel(
  deps: DownloadDependencies,
  context: Context,
  id: string,
  model: FetchedModel,
): Promise<void> {
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
    { ...arrived, id, facts: await readFacts(arrived, hints, deps.engines) },
    { signal: context.signal, onProgress: context.report },
  );
  await saveArrived(context, {
    id,
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
    onWait: (message) => context.report({ done: 0, total: null, unit: 'bytes', message }),
  });
}

import { rm } from 'node:fs/promises';
import type { ModelEntry } from '../../../contracts/management/models.ts';
import { Conflict, NotFound } from '../../../contracts/problems.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { WorkQueue } from '../../../platform/queue/work-queue.ts';
import type { HubCache } from '../hub/hub-cache.ts';
import type { ModelStore } from '../model-store.ts';
import type { ModelLibrary } from './model-library.ts';
import { describeModel, type ModelRecord } from './model-record.ts';
import { listModels, removeModelRow } from './models-store.ts';

export interface RemoveDependencies {
  database: Database;
  library: Pick<ModelLibrary, 'find'>;
  queue: Pick<WorkQueue, 'list'>;
  cache: Pick<HubCache, 'remove'>;
  catalogModels: Pick<ModelStore, 'remove'>;
  /** Whether a model or adapter serves now, or is being brought up. */
  isDeployed(id: string): boolean | Promise<boolean>;
}

/** Frees the disk. What other models share with this one stays. */
export async function removeModel(deps: RemoveDependencies, id: string): Promise<ModelEntry> {
  const record = await deps.library.find(id);
  if (!record) throw new NotFound('model', id, { code: 'model_not_found' });
  if (await deps.isDeployed(id)) throw new Conflict(`the model '${id}' is deployed; undeploy it first`);
  const arriving = await deps.queue.list({
    kinds: ['DOWNLOAD', 'FINETUNE'],
    subject: id,
    states: ['CREATED', 'RUNNING'],
  });
  const [job] = arriving;
  if (job) {
    const doing = job.kind === 'DOWNLOAD' ? 'added' : 'trained on';
    throw new Conflict(`the model '${id}' is being ${doing}; interrupt that job first`);
  }
  await removeModelRow(deps.database, id);
  await removeFiles(deps, record);
  return describeModel(record);
}

async function removeFiles(deps: RemoveDependencies, record: ModelRecord): Promise<void> {
  const { source, repository, revision } = record;
  if (source === 'catalog') return deps.catalogModels.remove(record.id);
  if (source !== 'hub' || repository === null || revision === null) {
    return rm(record.folder, { recursive: true, force: true });
  }
  const others = (await listModels(deps.database)).filter(
    (other) => other.repository === repository && other.revision === revision,
  );
  const shared = new Set(others.flatMap((other) => other.files));
  await deps.cache.remove(
    repository,
    revision,
    record.files.filter((file) => !shared.has(file)),
  );
}

import type { ModelEntry } from '../../contracts/management/models.ts';
import { Conflict, NotFound } from '../../contracts/problems.ts';
import type { WorkQueue } from '../../platform/queue/work-queue.ts';
import { repositoryKey } from './add-model.ts';
import type { ModelLibrary } from './model-library.ts';
import { describeModel } from './model-record.ts';
import { removeModelRow } from './models-store.ts';
import { type FreeDependencies, freeFiles } from './removal/free-files.ts';
import { freeReplaced } from './removal/free-replaced.ts';

export interface RemoveDependencies extends FreeDependencies {
  library: Pick<ModelLibrary, 'find'>;
  queue: Pick<WorkQueue, 'list' | 'active'>;
  /** Whether a model or adapter is serving or starting. */
  isDeployed(id: string): boolean | Promise<boolean>;
}

/** Deletes a model and its files. Files that other models share are kept. */
export async function removeModel(deps: RemoveDependencies, id: string): Promise<ModelEntry> {
  const [job] = await deps.queue.list({
    kinds: ['DOWNLOAD', 'FINETUNE'],
    subject: id,
    states: ['CREATED', 'RUNNING'],
  });
  if (job) {
    const doing = job.kind === 'DOWNLOAD' ? 'added' : 'trained on';
    throw new Conflict(`the model '${id}' is being ${doing}; interrupt the job ${job.id} first`);
  }
  const record = await deps.library.find(id);
  if (!record) throw new NotFound('model', id, { code: 'model_not_found' });
  if (await deps.isDeployed(id)) throw new Conflict(`the model '${id}' is deployed; undeploy it first`);
  // A partial file that another model of the repository is fetching would be deleted, too.
  const [beside] = await deps.queue.active([repositoryKey(record.repository ?? '')]);
  if (beside) {
    throw new Conflict(
      `${beside.name} is fetching from the same repository; wait for the job ${beside.id}, or interrupt it`,
    );
  }
  await removeModelRow(deps.database, id);
  await freeFiles(deps, record);
  await freeReplaced(deps, id);
  return describeModel(record);
}

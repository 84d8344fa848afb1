import type { Actor } from '../../contracts/actor.ts';
import type { Clock } from '../../contracts/clock.ts';
import type { ModelEntry } from '../../contracts/management/models.ts';
import { Conflict, NotFound } from '../../contracts/problems.ts';
import { recordAction } from '../../platform/audit/record-action.ts';
import type { WorkQueue } from '../../platform/queue/work-queue.ts';
import type { ModelLibrary } from './model-library.ts';
import { describeModel } from './model-record.ts';
import { removeModelRow } from './models-store.ts';
import { type FreeDependencies, freeFiles } from './removal/free-files.ts';
import { freeReplaced } from './removal/free-replaced.ts';
import { putReplaced } from './removal/replaced-store.ts';
import { repositoryKey } from './start-download.ts';

export interface RemoveDependencies extends FreeDependencies {
  clock: Clock;
  library: Pick<ModelLibrary, 'find'>;
  queue: Pick<WorkQueue, 'list' | 'active'>;
  /** Whether a model or adapter is serving or starting. */
  isDeployed(id: string): boolean | Promise<boolean>;
}

/** Deletes a model and its files. Files that other models share are kept. */
export async function removeModel(deps: RemoveDependencies, actor: Actor, id: string): Promise<ModelEntry> {
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
  if (!record) throw unknownModel(id);
  if (await deps.isDeployed(id)) throw new Conflict(`the model '${id}' is deployed; undeploy it first`);
  // A partial file that another model of the repository is fetching would be deleted, too.
  const [beside] = await deps.queue.active([repositoryKey(record.repository ?? '')]);
  if (beside) {
    throw new Conflict(
      `${beside.name} is fetching from the same repository; wait for the job ${beside.id}, or interrupt it`,
    );
  }
  const { source } = record;
  await deps.database.transaction(async (session) => {
    const removed = await removeModelRow(session, id);
    // Models of the catalog have no row; any other was removed by someone else in the meantime.
    if (!removed && source !== 'catalog') throw unknownModel(id);
    if (removed) await putReplaced(session, record);
    await recordAction({ session, clock: deps.clock }, actor, {
      action: 'model.remove',
      subject: id,
      details: { source, adapter: record.adapter },
    });
  });
  if (source === 'catalog') await freeFiles(deps, record);
  await freeReplaced(deps, id);
  return describeModel(record);
}

const unknownModel = (id: string) => new NotFound('model', id, { code: 'model_not_found' });

import type { Actor } from '../../contracts/actor.ts';
import type { Clock } from '../../contracts/clock.ts';
import type { ModelEntry } from '../../contracts/management/models.ts';
import { Conflict, NotFound } from '../../contracts/problems.ts';
import { recordAction } from '../../platform/audit/record-action.ts';
import type { WorkQueue } from '../../platform/queue/work-queue.ts';
import type { ModelLibrary } from './model-library.ts';
import { describeModel, type ModelRecord } from './model-record.ts';
import { removeModelRow } from './models-store.ts';
import { type FreeDependencies, freeFiles } from './removal/free-files.ts';
import { freeReplaced } from './removal/free-replaced.ts';
import { putReplaced } from './removal/replaced-store.ts';
import { repositoryKey } from './start-download.ts';

export interface RemoveDependencies extends FreeDependencies {
  clock: Clock;
  library: Pick<ModelLibrary, 'find' | 'list'>;
  queue: Pick<WorkQueue, 'list' | 'active'>;
  /** Whether a model or adapter is serving or starting. */
  isDeployed(id: string): boolean | Promise<boolean>;
}

interface Removal {
  id: string;
  /** Also deletes the adapters that were made for it; without this, a base with adapters is kept. */
  withAdapters: boolean;
}

/** Deletes a model and its files. Files that other models share are kept. */
export async function removeModel(
  deps: RemoveDependencies,
  actor: Actor,
  { id: name, withAdapters }: Removal,
): Promise<ModelEntry> {
  const id = (await deps.library.find(name))?.id ?? name;
  await refuseBusy(deps, id);
  const adapters = adaptersOf(await deps.library.list(), id);
  const names = adapters.map((adapter) => `'${adapter.id}'`).join(', ');
  if (adapters.length > 0 && !withAdapters) {
    throw new Conflict(
      `'${id}' is the base of ${names}: remove these first, or together with it (--with-adapters, with_adapters=true)`,
      { code: 'model_has_adapters' },
    );
  }
  for (const adapter of adapters) await refuseBusy(deps, adapter.id);
  for (const adapter of adapters) await removeOne(deps, actor, adapter.id);
  return removeOne(deps, actor, id);
}

/** The adapters that no other model in the library could be the base of. They may name the original of a converted model. */
function adaptersOf(models: ModelRecord[], id: string): ModelRecord[] {
  const namesOf = ({ id: name, originModelId }: ModelRecord) => [name, originModelId];
  const bases = models.filter(({ adapter }) => !adapter);
  const names = bases.filter((base) => base.id === id).flatMap(namesOf);
  const others = bases.filter((base) => base.id !== id).flatMap(namesOf);
  return models.filter(
    ({ adapter, baseModelId }) =>
      adapter && baseModelId !== null && names.includes(baseModelId) && !others.includes(baseModelId),
  );
}

async function refuseBusy(deps: RemoveDependencies, id: string): Promise<void> {
  const [job] = await deps.queue.list({
    kinds: ['DOWNLOAD', 'FINETUNE'],
    subject: id,
    states: ['CREATED', 'RUNNING'],
  });
  if (job) {
    const doing = job.kind === 'DOWNLOAD' ? 'added' : 'trained on';
    throw new Conflict(`the model '${id}' is being ${doing}; interrupt the job ${job.id} first`);
  }
  if (await deps.isDeployed(id)) throw new Conflict(`the model '${id}' is deployed; undeploy it first`);
}

async function removeOne(deps: RemoveDependencies, actor: Actor, id: string): Promise<ModelEntry> {
  const record = await deps.library.find(id);
  if (!record) throw unknownModel(id);
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

import { Conflict } from '../../contracts/problems.ts';
import type { WorkItem } from '../../platform/queue/work-item.ts';
import type { WorkQueue } from '../../platform/queue/work-queue.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { parseModelId } from '../hub/model-reference.ts';
import type { ModelLibrary } from './model-library.ts';

export interface AddDependencies {
  queue: Pick<WorkQueue, 'enqueue'>;
  catalog: Catalog;
  library: Pick<ModelLibrary, 'find'>;
}

/** The payload of a DOWNLOAD job. */
export type DownloadPayload =
  | { from: 'hub'; model_id: string; allow_pickle: boolean }
  | { from: 'catalog'; model_id: string }
  | { from: 'folder'; model_id: string; folder: string };

/** Starts to add a model: from the catalog by its short id, any other from the hub. */
export async function addModel(
  { queue, catalog, library }: AddDependencies,
  input: { model_id: string; allow_pickle: boolean },
): Promise<WorkItem> {
  const { model_id } = input;
  if (catalog.some((model) => model.id === model_id)) {
    return start(queue, { from: 'catalog', model_id }, `model:${model_id}`);
  }
  const { repository } = parseModelId(model_id);
  await refuseTaken(library, model_id);
  return start(queue, { from: 'hub', ...input }, repositoryKey(repository));
}

export async function importModel(
  { queue, catalog, library }: AddDependencies,
  input: { model_id: string; folder: string },
): Promise<WorkItem> {
  const { model_id } = input;
  if (catalog.some((model) => model.id === model_id)) {
    throw new Conflict(`'${model_id}' is the name of a starter model; import it under another one`);
  }
  await refuseTaken(library, model_id);
  return start(queue, { from: 'folder', ...input }, `model:${input.model_id}`);
}

/** Models from the hub or a folder may be replaced; an adapter that was trained here could not be fetched again. */
async function refuseTaken(library: AddDependencies['library'], id: string): Promise<void> {
  if ((await library.find(id))?.source !== 'training') return;
  throw new Conflict(`the name '${id}' is taken by an adapter that was trained here`);
}

/** While a model is being added, adding it again returns the running job. */
async function start(
  queue: AddDependencies['queue'],
  payload: DownloadPayload,
  key: string,
): Promise<WorkItem> {
  const item = await queue.enqueue({
    kind: 'DOWNLOAD',
    name: `DOWNLOAD_${payload.model_id}`,
    payload,
    subject: payload.model_id,
    uniqueKey: downloadKey(payload.model_id),
    exclusiveKeys: [key],
  });
  return begun(item);
}

const downloadKey = (id: string) => `download:${id}`;
/** One download per repository of the hub at a time, since they share files. */
export const repositoryKey = (name: string) => `repository:${name}`;

/** By the specification the job is running once it is accepted, although it may be waiting in the queue. */
const begun = (item: WorkItem): WorkItem => (item.state === 'CREATED' ? { ...item, state: 'RUNNING' } : item);

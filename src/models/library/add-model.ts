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

/** What a DOWNLOAD job is told. */
export type DownloadPayload =
  | { from: 'hub'; model_id: string; allow_pickle: boolean }
  | { from: 'catalog'; model_id: string }
  | { from: 'folder'; model_id: string; folder: string };

/** Starts to bring a model here: one of the catalog by its short id, any other from the hub. */
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

/** What came from the hub or a folder may come anew; an adapter that was trained here can't be had again. */
async function refuseTaken(library: AddDependencies['library'], id: string): Promise<void> {
  if ((await library.find(id))?.source !== 'training') return;
  throw new Conflict(`the name '${id}' is taken by an adapter that was trained here`);
}

/** While a model is being added, adding it again returns the job that does it. */
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
/** One at a time of each repository of the hub: they share files. */
export const repositoryKey = (name: string) => `repository:${name}`;

/** The specification has the job run from the moment it is accepted; it may in fact wait for its turn. */
const begun = (item: WorkItem): WorkItem => (item.state === 'CREATED' ? { ...item, state: 'RUNNING' } : item);

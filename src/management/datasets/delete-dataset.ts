import type { Actor } from '../../contracts/actor.ts';
import type { Dataset } from '../../contracts/management/datasets.ts';
import { Conflict, NotFound } from '../../contracts/problems.ts';
import { recordAction } from '../../platform/audit/record-action.ts';
import {
  blobKey,
  type DatasetDependencies,
  datasetKey,
  datasetRow,
  describeDataset,
} from './dataset-record.ts';
import { removeDataset } from './datasets-store.ts';

/** Deletes the row first: a crash in between leaves an orphan file, never a data set without its file. */
export async function deleteDataset(deps: DatasetDependencies, actor: Actor, id: string): Promise<Dataset> {
  const { database, clock } = deps;
  const row = await datasetRow(deps, id);
  const users = await deps.queue.active([datasetKey(id)]);
  if (users[0]) throw new Conflict(`data set '${id}' is in use by ${users[0].name}`);
  await database.transaction(async (session) => {
    if (!(await removeDataset(session, id))) throw new NotFound('data set', id);
    const { name, examples, bytes } = row;
    await recordAction({ session, clock }, actor, {
      action: 'dataset.delete',
      subject: id,
      details: { name, examples, bytes },
    });
  });
  await deps.blobs.delete(blobKey(row));
  return describeDataset(deps, row);
}

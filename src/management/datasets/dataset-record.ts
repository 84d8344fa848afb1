import type { Clock } from '../../contracts/clock.ts';
import type { Dataset } from '../../contracts/management/datasets.ts';
import { NotFound } from '../../contracts/problems.ts';
import type { BlobStore } from '../../platform/blobs/blob-store.ts';
import type { Database } from '../../platform/database/database.ts';
import type { WorkQueue } from '../../platform/queue/work-queue.ts';
import type { DatasetRow } from '../tables.ts';
import type { DatasetLimits } from './check-dataset.ts';
import { findDataset } from './datasets-store.ts';

export interface DatasetDependencies {
  database: Database;
  clock: Clock;
  blobs: BlobStore;
  queue: Pick<WorkQueue, 'active'>;
  /** The bucket that `s3_path` names. */
  bucket: string;
  datasetLimits: DatasetLimits;
}

/** Queue key that work on a data set holds, so that the set can't be deleted meanwhile. */
export const datasetKey = (id: string) => `dataset:${id}`;

/** Key of its file in the blob store. */
export const blobKey = ({ id, name }: Pick<DatasetRow, 'id' | 'name'>) => `datasets/${id}/${name}`;

export async function datasetRow({ database }: DatasetDependencies, id: string): Promise<DatasetRow> {
  const row = await findDataset(database, id);
  if (!row) throw new NotFound('data set', id);
  return row;
}

export function describeDataset({ bucket }: DatasetDependencies, row: DatasetRow): Dataset {
  return {
    id: row.id,
    name: row.name,
    s3_path: `s3://${bucket}/${blobKey(row)}`,
    description: row.description,
    examples: row.examples,
    bytes: row.bytes,
    sha256: row.sha256,
    created_at: new Date(row.created_at).toISOString(),
  };
}

import type { Session } from '../../platform/database/database.ts';
import type { DatasetRow } from '../tables.ts';

export async function insertDataset({ query }: Session, row: DatasetRow): Promise<void> {
  await query.insertInto('datasets').values(row).execute();
}

export async function listDatasetRows({ query }: Session): Promise<DatasetRow[]> {
  return query.selectFrom('datasets').selectAll().orderBy('created_at', 'desc').orderBy('id').execute();
}

export async function findDataset({ query }: Session, id: string): Promise<DatasetRow | undefined> {
  return query.selectFrom('datasets').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Returns whether the row existed. */
export async function removeDataset({ query }: Session, id: string): Promise<boolean> {
  const { numDeletedRows } = await query.deleteFrom('datasets').where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
}

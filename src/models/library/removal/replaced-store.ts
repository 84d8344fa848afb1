import type { Session } from '../../../platform/database/database.ts';
import { fromJson, toJson } from '../../../platform/database/json-column.ts';
import type { ModelRecord } from '../model-record.ts';

/** Models that were replaced or removed, and whose files are still to be deleted. */
export async function listReplaced(session: Session, modelId?: string): Promise<ModelRecord[]> {
  let query = session.query.selectFrom('replaced_models').select('record_json').orderBy('folder');
  if (modelId !== undefined) query = query.where('model_id', '=', modelId);
  return (await query.execute()).map((row) => fromJson<ModelRecord>(row.record_json));
}

/** Models of one snapshot of the hub share its folder: then the row names the files of all of them. */
export async function putReplaced(session: Session, record: ModelRecord): Promise<void> {
  const row = await session.query
    .selectFrom('replaced_models')
    .select('record_json')
    .where('folder', '=', record.folder)
    .executeTakeFirst();
  const files = row ? fromJson<ModelRecord>(row.record_json).files : [];
  const merged = { ...record, files: [...new Set([...files, ...record.files])] };
  await dropReplaced(session, record.folder);
  await session.query
    .insertInto('replaced_models')
    .values({ folder: record.folder, model_id: record.id, record_json: toJson(merged) })
    .execute();
}

export async function dropReplaced(session: Session, folder: string): Promise<void> {
  await session.query.deleteFrom('replaced_models').where('folder', '=', folder).execute();
}

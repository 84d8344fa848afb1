import type { Session } from '../../../platform/database/database.ts';
import { fromJson, toJson } from '../../../platform/database/json-column.ts';
import type { ModelRecord } from '../model-record.ts';

/** Versions of models that were replaced while pods used their files. */
export async function listReplaced(session: Session, modelId?: string): Promise<ModelRecord[]> {
  let query = session.query.selectFrom('replaced_models').select('record_json').orderBy('folder');
  if (modelId !== undefined) query = query.where('model_id', '=', modelId);
  return (await query.execute()).map((row) => fromJson<ModelRecord>(row.record_json));
}

export async function putReplaced(session: Session, record: ModelRecord): Promise<void> {
  await dropReplaced(session, record.folder);
  const row = { folder: record.folder, model_id: record.id, record_json: toJson(record) };
  await session.query.insertInto('replaced_models').values(row).execute();
}

export async function dropReplaced(session: Session, folder: string): Promise<void> {
  await session.query.deleteFrom('replaced_models').where('folder', '=', folder).execute();
}

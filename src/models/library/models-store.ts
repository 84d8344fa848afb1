import type { Selectable } from 'kysely';
import type { Session } from '../../platform/database/database.ts';
import { fromJson, toJson } from '../../platform/database/json-column.ts';
import type { ModelFormat } from '../facts/model-format.ts';
import type { ModelRow } from '../tables.ts';
import type { ModelRecord } from './model-record.ts';

/** Models of the catalog have no row. */
export type KeptModel = ModelRecord & { source: Exclude<ModelRecord['source'], 'catalog'> };

/** Inserts a model or replaces the one with its id. */
export async function saveModel(session: Session, model: KeptModel): Promise<void> {
  const row = {
    id: model.id,
    adapter: model.adapter ? 1 : 0,
    base_model_id: model.baseModelId,
    origin_model_id: model.originModelId,
    source: model.source,
    repository: model.repository,
    revision: model.revision,
    format: model.format,
    folder: model.folder,
    entry: model.entry,
    files_json: toJson(model.files),
    facts_json: toJson(model.facts),
    added_at: model.addedAt,
  };
  const { id: _, ...rest } = row;
  await session.query
    .insertInto('models')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet(rest))
    .execute();
}

export async function findModel(session: Session, id: string): Promise<ModelRecord | undefined> {
  const row = await session.query.selectFrom('models').selectAll().where('id', '=', id).executeTakeFirst();
  return row && toRecord(row);
}

export async function listModels(session: Session): Promise<ModelRecord[]> {
  const rows = await session.query
    .selectFrom('models')
    .selectAll()
    .orderBy('added_at')
    .orderBy('id')
    .execute();
  return rows.map(toRecord);
}

/** Whether there was one. */
export async function removeModelRow({ query }: Session, id: string): Promise<boolean> {
  const { numDeletedRows } = await query.deleteFrom('models').where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
}

function toRecord(row: Selectable<ModelRow>): ModelRecord {
  return {
    id: row.id,
    adapter: row.adapter === 1,
    baseModelId: row.base_model_id,
    originModelId: row.origin_model_id,
    source: row.source,
    repository: row.repository,
    revision: row.revision,
    format: row.format as ModelFormat,
    folder: row.folder,
    entry: row.entry,
    files: fromJson(row.files_json),
    facts: fromJson(row.facts_json),
    addedAt: row.added_at,
  };
}

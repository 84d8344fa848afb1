import type { Selectable } from 'kysely';
import { fromJson } from '../database/json-column.ts';
import type { WorkItemRow } from './tables.ts';
import type { WorkItem } from './work-item.ts';

export type WorkRow = Selectable<WorkItemRow>;

export function toWorkItem(row: WorkRow): WorkItem {
  return {
    id: row.id,
    kind: row.kind,
    name: row.name,
    subject: row.subject,
    state: row.state,
    priority: row.priority,
    notBefore: row.not_before,
    payload: fromJson(row.payload),
    progress: fromJson(row.progress),
    result: fromJson(row.result),
    error: row.error,
    attempts: row.attempts,
    createdAt: row.created_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
  };
}

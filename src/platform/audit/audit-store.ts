import type { Insertable, Selectable } from 'kysely';
import type { Session } from '../database/database.ts';
import type { AuditLogRow } from './tables.ts';

export async function insertEntry({ query }: Session, row: Insertable<AuditLogRow>): Promise<void> {
  await query.insertInto('audit_log').values(row).execute();
}

export interface EntryFilter {
  /** Only entries with a lower id. */
  before?: number | undefined;
  action?: string | undefined;
  /** Id or name of a key, `anonymous`, `platform` or `platform:<reason>`. */
  actor?: string | undefined;
  subject?: string | undefined;
  /** Milliseconds; inclusive. */
  since?: number | undefined;
  /** Milliseconds; exclusive. */
  until?: number | undefined;
}

/** Newest first. */
export function listEntries(
  { query }: Session,
  { before, action, actor, subject, since, until }: EntryFilter,
  limit: number,
): Promise<Selectable<AuditLogRow>[]> {
  let entries = query.selectFrom('audit_log').selectAll();
  if (before !== undefined) entries = entries.where('id', '<', before);
  if (action !== undefined) entries = entries.where('action', '=', action);
  if (actor !== undefined) {
    const reason = /^platform:(.*)$/s.exec(actor)?.[1];
    if (actor === 'anonymous' || actor === 'platform') entries = entries.where('actor_kind', '=', actor);
    else if (reason !== undefined) {
      entries = entries.where('actor_kind', '=', 'platform').where('actor_name', '=', reason);
    } else {
      entries = entries
        .where('actor_kind', '=', 'key')
        .where((row) => row.or([row('actor_id', '=', actor), row('actor_name', '=', actor)]));
    }
  }
  if (subject !== undefined) entries = entries.where('subject', '=', subject);
  if (since !== undefined) entries = entries.where('at', '>=', since);
  if (until !== undefined) entries = entries.where('at', '<', until);
  return entries.orderBy('id', 'desc').limit(limit).execute();
}

/** Deletes at most `limit` of the oldest entries from before that time, and says how many there were. */
export async function deleteEntries({ query }: Session, before: number, limit: number): Promise<number> {
  const { numDeletedRows } = await query
    .deleteFrom('audit_log')
    .where('id', 'in', (old) =>
      old.selectFrom('audit_log').select('id').where('at', '<', before).orderBy('at').limit(limit),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}

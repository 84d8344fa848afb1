import type { Selectable } from 'kysely';
import type { AuditEntry, AuditPage, AuditQuery } from '../../contracts/management/audit.ts';
import type { Session } from '../database/database.ts';
import { fromJson } from '../database/json-column.ts';
import { listEntries } from './audit-store.ts';
import { safeSubject } from './safe-text.ts';
import type { AuditLogRow } from './tables.ts';

interface ListDependencies {
  database: Session;
}

/** A page of the audit log, newest first. */
export async function listAudit({ database }: ListDependencies, query: AuditQuery): Promise<AuditPage> {
  const { limit, since, until, actor, subject, ...rest } = query;
  const filter = {
    ...rest,
    // Stored names were cut and cleaned, so what is looked for is too.
    actor: actor === undefined ? undefined : safeSubject(actor),
    subject: subject === undefined ? undefined : safeSubject(subject),
    since: since === undefined ? undefined : Date.parse(since),
    until: until === undefined ? undefined : Date.parse(until),
  };
  const rows = await listEntries(database, filter, limit + 1);
  const entries = rows.slice(0, limit).map(toEntry);
  return { entries, next: rows.length > limit ? (entries.at(-1)?.id ?? null) : null };
}

function toEntry(row: Selectable<AuditLogRow>): AuditEntry {
  return {
    id: row.id,
    at: new Date(row.at).toISOString(),
    actor: { kind: row.actor_kind, id: row.actor_id, name: row.actor_name, owner: row.actor_owner },
    request_id: row.request_id,
    action: row.action,
    subject: row.subject,
    details: fromJson(row.details_json),
    outcome: row.outcome,
  };
}

import type { Generated } from 'kysely';

declare module '../database/tables.ts' {
  interface Tables {
    audit_log: AuditLogRow;
  }
}

/** One action that changed something, written in the same transaction as the change. */
export interface AuditLogRow {
  id: Generated<number>;
  at: number;
  actor_kind: 'key' | 'anonymous' | 'platform';
  actor_id: string | null;
  /** Name of the key, or why the platform acted. */
  actor_name: string | null;
  actor_owner: string | null;
  request_id: string | null;
  action: string;
  subject: string;
  details_json: string;
  outcome: 'done' | 'accepted';
}

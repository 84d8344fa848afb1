import type { Actor } from '../../contracts/actor.ts';
import type { Clock } from '../../contracts/clock.ts';
import type { AuditAction, AuditOutcome } from '../../contracts/management/audit.ts';
import type { Session } from '../database/database.ts';
import { toJson } from '../database/json-column.ts';
import { insertEntry } from './audit-store.ts';
import { safeDetails, safeSubject } from './safe-text.ts';

interface RecordDependencies {
  /** The transaction that makes the change: the entry exists exactly where the change does. */
  session: Session;
  clock: Clock;
}

export interface RecordedAction {
  action: AuditAction;
  subject: string;
  details?: Record<string, unknown>;
  /** `done` where not given. */
  outcome?: AuditOutcome;
}

/** Writes an action to the audit log. Secrets are removed and long texts cut on the way in. */
export async function recordAction(
  { session, clock }: RecordDependencies,
  actor: Actor,
  { action, subject, details = {}, outcome = 'done' }: RecordedAction,
): Promise<void> {
  await insertEntry(session, {
    at: clock.now(),
    ...columnsOf(actor),
    action,
    subject: safeSubject(subject),
    details_json: toJson(safeDetails(details)),
    outcome,
  });
}

function columnsOf(actor: Actor) {
  const nobody = { actor_kind: actor.kind, actor_id: null, actor_name: null, actor_owner: null };
  if (actor.kind === 'platform')
    return { ...nobody, actor_name: safeSubject(actor.reason), request_id: null };
  const request_id = actor.requestId === null ? null : safeSubject(actor.requestId);
  if (actor.kind === 'anonymous') return { ...nobody, request_id };
  return {
    actor_kind: actor.kind,
    actor_id: actor.id,
    actor_name: safeSubject(actor.name),
    actor_owner: actor.owner === null ? null : safeSubject(actor.owner),
    request_id,
  };
}

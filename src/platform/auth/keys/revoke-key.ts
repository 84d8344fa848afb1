import type { Actor } from '../../../contracts/actor.ts';
import type { ApiKey } from '../../../contracts/api-keys.ts';
import type { Clock } from '../../../contracts/clock.ts';
import { Conflict } from '../../../contracts/problems.ts';
import { recordAction } from '../../audit/record-action.ts';
import type { Session } from '../../database/database.ts';
import { markRevoked, type StoredKey } from '../key-store.ts';
import type { KeyDependencies } from './create-key.ts';
import { describeKey } from './describe-keys.ts';
import { requireValidKey } from './valid-key.ts';

/** Revokes a key permanently: a leaked key must never become valid again. */
export async function revokeKey(
  { database, clock, ring }: KeyDependencies,
  actor: Actor,
  id: string,
): Promise<ApiKey> {
  const revoked = await database.transaction((session) => revokeStoredKey({ session, clock }, actor, id));
  await ring?.refresh();
  return describeKey(revoked);
}

/** As `revokeKey`, in the caller's transaction. */
export async function revokeStoredKey(
  { session, clock }: { session: Session; clock: Clock },
  actor: Actor,
  id: string,
): Promise<StoredKey> {
  const key = await requireValidKey(session, id, 'revoked');
  const revokedAt = clock.now();
  if (!(await markRevoked(session, id, revokedAt))) throw new Conflict(`key '${id}' is already revoked`);
  const { name, owner } = key;
  await recordAction({ session, clock }, actor, {
    action: 'key.revoke',
    subject: id,
    details: { name, owner },
  });
  return { ...key, revokedAt };
}

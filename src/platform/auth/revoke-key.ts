import type { Actor } from '../../contracts/actor.ts';
import type { ApiKey } from '../../contracts/api-keys.ts';
import { Conflict, NotFound } from '../../contracts/problems.ts';
import { recordAction } from '../audit/record-action.ts';
import { adminKeyId } from './admin-key.ts';
import type { KeyDependencies } from './create-key.ts';
import { describeKey } from './describe-keys.ts';
import { findKey, markRevoked } from './key-store.ts';

/** Revokes a key permanently: a leaked key must never become valid again. */
export async function revokeKey(deps: KeyDependencies, actor: Actor, id: string): Promise<ApiKey> {
  const { database, clock } = deps;
  const key = await findKey(database, id);
  if (!key) throw new NotFound('key', id);
  if (id === adminKeyId) {
    throw new Conflict(
      'the initial admin key can only be replaced, not revoked: set ROUNDHOUSE_ADMIN_TOKEN or put another key into the admin-token file, and restart',
    );
  }
  const revokedAt = clock.now();
  await database.transaction(async (session) => {
    if (!(await markRevoked(session, id, revokedAt))) throw new Conflict(`key '${id}' is already revoked`);
    const { name, owner } = key;
    await recordAction({ session, clock }, actor, {
      action: 'key.revoke',
      subject: id,
      details: { name, owner },
    });
  });
  await deps.ring?.refresh();
  return describeKey({ ...key, revokedAt });
}

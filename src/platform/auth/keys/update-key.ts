import type { Actor } from '../../../contracts/actor.ts';
import type { ApiKey, ApiKeyChanges } from '../../../contracts/api-keys.ts';
import { recordAction } from '../../audit/record-action.ts';
import { updateKeyRow } from '../key-store.ts';
import type { KeyDependencies } from './create-key.ts';
import { describeKey } from './describe-keys.ts';
import { checkExpiry } from './expiry.ts';
import { requireValidKey } from './valid-key.ts';

/** Changes the given fields of a key. It takes effect for the next request. */
export async function updateKey(
  { database, clock, ring }: KeyDependencies,
  actor: Actor,
  { id, changes }: { id: string; changes: ApiKeyChanges },
): Promise<ApiKey> {
  const changed = await database.transaction(async (session) => {
    const key = await requireValidKey(session, id, 'changed');
    const { expires_at, name = key.name, owner = key.owner } = changes;
    const { scopes = key.scopes, limits = key.limits } = changes;
    const expiresAt = expires_at === undefined ? key.expiresAt : checkExpiry(clock, expires_at);
    const stored = { ...key, name, owner, scopes, limits, expiresAt };
    await updateKeyRow(session, stored);
    await recordAction({ session, clock }, actor, { action: 'key.update', subject: id, details: changes });
    return stored;
  });
  await ring?.refresh();
  return describeKey(changed);
}

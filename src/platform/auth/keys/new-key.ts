import { randomUUID } from 'node:crypto';
import type { Actor } from '../../../contracts/actor.ts';
import type { ApiKeyRequest } from '../../../contracts/api-keys.ts';
import type { Clock } from '../../../contracts/clock.ts';
import { recordAction } from '../../audit/record-action.ts';
import type { Session } from '../../database/database.ts';
import { generateKey, hashKey, prefixOf } from '../key-format.ts';
import { insertKey, type StoredKey } from '../key-store.ts';
import { describeKey } from './describe-keys.ts';
import { checkExpiry } from './expiry.ts';

export interface NewKey {
  stored: StoredKey;
  /** The key itself, which is not stored. */
  key: string;
}

/** Makes a key, without storing it. A pending one works once it is approved. */
export function newKey(clock: Clock, request: ApiKeyRequest, pending = false): NewKey {
  const key = generateKey();
  const stored = {
    id: randomUUID(),
    name: request.name,
    owner: request.owner ?? null,
    prefix: prefixOf(key),
    hash: hashKey(key),
    scopes: request.scopes,
    limits: request.limits,
    createdAt: clock.now(),
    expiresAt: checkExpiry(clock, request.expires_at),
    revokedAt: null,
    lastUsedAt: null,
    pending,
  };
  return { stored, key };
}

/** Stores a new key and records it, in the caller's transaction. */
export async function storeNewKey(
  { session, clock }: { session: Session; clock: Clock },
  actor: Actor,
  stored: StoredKey,
): Promise<void> {
  const { id, name, owner, scopes, limits, expires_at } = describeKey(stored);
  await insertKey(session, stored);
  await recordAction({ session, clock }, actor, {
    action: 'key.create',
    subject: id,
    details: { name, owner, scopes, limits, expires_at },
  });
}

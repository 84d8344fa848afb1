import { randomUUID } from 'node:crypto';
import type { Actor } from '../../contracts/actor.ts';
import type { ApiKeyCreated, ApiKeyRequest } from '../../contracts/api-keys.ts';
import type { Clock } from '../../contracts/clock.ts';
import { InvalidInput } from '../../contracts/problems.ts';
import { recordAction } from '../audit/record-action.ts';
import type { Database } from '../database/database.ts';
import { describeKey } from './describe-keys.ts';
import { generateKey, hashKey, prefixOf } from './key-format.ts';
import { insertKey, type StoredKey } from './key-store.ts';

export interface KeyDependencies {
  database: Database;
  clock: Clock;
  /** The key ring of this process, if any; it is refreshed so that the change takes effect immediately. */
  ring?: { refresh(): Promise<void> };
}

/** Creates a key. This result is the only place where the key itself is returned. */
export async function createKey(
  deps: KeyDependencies,
  actor: Actor,
  request: ApiKeyRequest,
): Promise<ApiKeyCreated> {
  const { database, clock } = deps;
  const expiresAt = request.expires_at ? Date.parse(request.expires_at) : null;
  if (expiresAt !== null && expiresAt <= clock.now()) {
    const msg = 'Value error, must be in the future';
    throw new InvalidInput([{ loc: ['body', 'expires_at'], msg, type: 'value_error' }]);
  }
  const key = generateKey();
  const stored: StoredKey = {
    id: randomUUID(),
    name: request.name,
    owner: request.owner ?? null,
    prefix: prefixOf(key),
    hash: hashKey(key),
    scopes: request.scopes,
    limits: request.limits,
    createdAt: clock.now(),
    expiresAt,
    revokedAt: null,
    lastUsedAt: null,
  };
  const described = describeKey(stored);
  const { id, name, owner, scopes, limits, expires_at } = described;
  await database.transaction(async (session) => {
    await insertKey(session, stored);
    await recordAction({ session, clock }, actor, {
      action: 'key.create',
      subject: id,
      details: { name, owner, scopes, limits, expires_at },
    });
  });
  await deps.ring?.refresh();
  return { ...described, key };
}

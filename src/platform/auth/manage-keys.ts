import { randomUUID } from 'node:crypto';
import type { ApiKey, ApiKeyCreated, ApiKeyRequest } from '../../contracts/api-keys.ts';
import type { Clock } from '../../contracts/clock.ts';
import { Conflict, NotFound } from '../../contracts/problems.ts';
import type { Session } from '../database/database.ts';
import { adminKeyId } from './admin-key.ts';
import { generateKey, hashKey, prefixOf } from './key-format.ts';
import { findKey, insertKey, listKeys, markRevoked, type StoredKey } from './key-store.ts';

interface Dependencies {
  database: Session;
  clock: Clock;
  /** The ring of this process, where there is one: it takes up the change at once. */
  ring?: { refresh(): Promise<void> };
}

/** Makes a key. The answer is the only place where it is ever shown. */
export async function createKey(deps: Dependencies, request: ApiKeyRequest): Promise<ApiKeyCreated> {
  const key = generateKey();
  const stored: StoredKey = {
    id: randomUUID(),
    name: request.name,
    owner: request.owner ?? null,
    prefix: prefixOf(key),
    hash: hashKey(key),
    scopes: request.scopes,
    limits: request.limits,
    createdAt: deps.clock.now(),
    expiresAt: request.expires_at ? Date.parse(request.expires_at) : null,
    revokedAt: null,
    lastUsedAt: null,
  };
  await insertKey(deps.database, stored);
  await deps.ring?.refresh();
  return { ...describeKey(stored), key };
}

export async function describeKeys({ database }: Pick<Dependencies, 'database'>): Promise<ApiKey[]> {
  return (await listKeys(database)).map(describeKey);
}

/** Revoking is for good: a key that leaked must not come back. */
export async function revokeKey(deps: Dependencies, id: string): Promise<ApiKey> {
  const key = await findKey(deps.database, id);
  if (!key) throw new NotFound('key', id);
  if (id === adminKeyId) {
    throw new Conflict(
      'the first admin key is not revoked but replaced: set ROUNDHOUSE_ADMIN_TOKEN, or put another key into the admin-token file, and start again',
    );
  }
  if (!(await markRevoked(deps.database, id, deps.clock.now())))
    throw new Conflict(`key '${id}' was revoked before`);
  await deps.ring?.refresh();
  return describeKey({ ...key, revokedAt: deps.clock.now() });
}

function describeKey(key: StoredKey): ApiKey {
  const time = (at: number | null) => (at === null ? null : new Date(at).toISOString());
  return {
    id: key.id,
    name: key.name,
    owner: key.owner,
    prefix: key.prefix,
    scopes: key.scopes,
    limits: key.limits,
    created_at: new Date(key.createdAt).toISOString(),
    expires_at: time(key.expiresAt),
    last_used_at: time(key.lastUsedAt),
    revoked_at: time(key.revokedAt),
  };
}

import type { ApiKey } from '../../../contracts/api-keys.ts';
import type { Session } from '../../database/database.ts';
import { listKeys, type StoredKey } from '../key-store.ts';

export async function describeKeys({ database }: { database: Session }): Promise<ApiKey[]> {
  return (await listKeys(database)).map(describeKey);
}

export function describeKey(key: StoredKey): ApiKey {
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
    pending: key.pending,
  };
}

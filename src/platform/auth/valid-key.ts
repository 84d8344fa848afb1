import { Conflict, NotFound } from '../../contracts/problems.ts';
import type { Session } from '../database/database.ts';
import { adminKeyId } from './admin-key.ts';
import { findKey, type StoredKey } from './key-store.ts';

/** Finds a key that a person may change: not revoked, and not the initial admin key, which its file or variable sets. */
export async function requireValidKey(session: Session, id: string, change: string): Promise<StoredKey> {
  const key = await findKey(session, id);
  if (!key) throw new NotFound('key', id);
  if (id === adminKeyId) {
    throw new Conflict(
      `the initial admin key can only be replaced, not ${change}: set ROUNDHOUSE_ADMIN_TOKEN or put another key into the admin-token file, and restart`,
    );
  }
  if (key.revokedAt !== null) throw new Conflict(`key '${id}' is already revoked`);
  return key;
}

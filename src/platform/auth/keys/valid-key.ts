import { Conflict, NotFound } from '../../../contracts/problems.ts';
import type { Session } from '../../database/database.ts';
import { findKey, type StoredKey } from '../key-store.ts';
import { adminKeyId } from './admin-key.ts';
import { podOfKey } from './pod-keys.ts';

/**
 * Finds a key that a person may change: not revoked, not the initial admin key, which its file or variable sets, and
 * not the key of a pod that the platform started, which would lose its way to report.
 */
export async function requireValidKey(session: Session, id: string, change: string): Promise<StoredKey> {
  const key = await findKey(session, id);
  if (!key) throw new NotFound('key', id);
  if (id === adminKeyId) {
    throw new Conflict(
      `the initial admin key can only be replaced, not ${change}: set ROUNDHOUSE_ADMIN_TOKEN or put another key into the admin-token file, and restart`,
    );
  }
  const pod = podOfKey(id);
  if (pod !== undefined) {
    throw new Conflict(`the platform made this key for the pod '${pod}'; it can't be ${change}`);
  }
  if (key.revokedAt !== null) throw new Conflict(`key '${id}' is already revoked`);
  return key;
}

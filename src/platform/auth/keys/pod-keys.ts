import { randomInt } from 'node:crypto';
import type { Actor } from '../../../contracts/actor.ts';
import { recordAction } from '../../audit/record-action.ts';
import { hashKey, prefixOf } from '../key-format.ts';
import { deleteKeys, findKey, insertKey, listKeys, replaceHash } from '../key-store.ts';
import type { KeyDependencies } from './create-key.ts';

const prefix = 'pod:';

/** The id of the key that the platform makes for a pod. */
const keyIdOf = (podId: string) => prefix + podId;

/** The pod that a key was made for; undefined for all other keys. */
export const podOfKey = (keyId: string) =>
  keyId.startsWith(prefix) ? keyId.slice(prefix.length) : undefined;

/** Stores the key with which a pod that the platform starts may report, and nothing else. */
export async function storePodKey(
  { database, clock, ring }: KeyDependencies,
  actor: Actor,
  { podId, key }: { podId: string; key: string },
): Promise<void> {
  const id = keyIdOf(podId);
  const stored = {
    id,
    name: `pod ${podId}`.slice(0, 256),
    owner: null,
    prefix: prefixOf(key),
    hash: hashKey(key),
    scopes: ['pods' as const],
    limits: {},
    createdAt: clock.now(),
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
    pending: false,
  };
  await database.transaction(async (session) => {
    const replaces = (await findKey(session, id)) !== undefined;
    if (replaces) await replaceHash(session, id, stored.hash, stored.prefix);
    // A random version, so that deleting one row and adding another never leaves the sum of versions as it was.
    else await insertKey(session, stored, randomInt(1, 2 ** 31));
    const { name, scopes } = stored;
    const action = replaces ? 'key.replace' : 'key.create';
    await recordAction({ session, clock }, actor, { action, subject: id, details: { name, scopes } });
  });
  await ring?.refresh();
}

/** Deletes the keys of pods that are gone; of all pods, where none are named. Nobody can use or ask for them again. */
export async function forgetPodKeys({ database, ring }: KeyDependencies, podIds?: string[]): Promise<void> {
  const ids =
    podIds?.map(keyIdOf) ?? (await listKeys(database)).flatMap(({ id }) => (podOfKey(id) ? [id] : []));
  if (ids.length === 0) return;
  await deleteKeys(database, ids);
  await ring?.refresh();
}

import type { Actor } from '../../../contracts/actor.ts';
import type { ApiKeyCreated, ApiKeyRequest } from '../../../contracts/api-keys.ts';
import type { Clock } from '../../../contracts/clock.ts';
import type { Database } from '../../database/database.ts';
import { describeKey } from './describe-keys.ts';
import { newKey, storeNewKey } from './new-key.ts';

export interface KeyDependencies {
  database: Database;
  clock: Clock;
  /** The key ring of this process, if any; it is refreshed so that the change takes effect immediately. */
  ring?: { refresh(): Promise<void> };
}

/** Creates a key. This result is the only place where the key itself is returned. */
export async function createKey(
  { database, clock, ring }: KeyDependencies,
  actor: Actor,
  request: ApiKeyRequest,
): Promise<ApiKeyCreated> {
  const { stored, key } = newKey(clock, request);
  await database.transaction((session) => storeNewKey({ session, clock }, actor, stored));
  await ring?.refresh();
  return { ...describeKey(stored), key };
}

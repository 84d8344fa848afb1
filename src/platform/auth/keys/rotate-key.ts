import type { Actor } from '../../../contracts/actor.ts';
import type { ApiKeyCreated } from '../../../contracts/api-keys.ts';
import { recordAction } from '../../audit/record-action.ts';
import { generateKey, hashKey, prefixOf } from '../key-format.ts';
import { replaceHash } from '../key-store.ts';
import type { KeyDependencies } from './create-key.ts';
import { describeKey } from './describe-keys.ts';
import { requireValidKey } from './valid-key.ts';

/** Replaces the secret of a key, which keeps its id, limits and usage. The old secret stops working immediately. */
export async function rotateKey(
  { database, clock, ring }: KeyDependencies,
  actor: Actor,
  id: string,
): Promise<ApiKeyCreated> {
  const key = generateKey();
  const prefix = prefixOf(key);
  const rotated = await database.transaction(async (session) => {
    const stored = await requireValidKey(session, id, 'rotated');
    await replaceHash(session, id, hashKey(key), prefix);
    const { name, owner } = stored;
    await recordAction({ session, clock }, actor, {
      action: 'key.rotate',
      subject: id,
      details: { name, owner },
    });
    return stored;
  });
  await ring?.refresh();
  return { ...describeKey({ ...rotated, prefix }), key };
}

import { infoCollection, removeBotInfo } from '../bots/bots-info.ts';
import { reembedKind } from '../command-work.ts';
import type { RunningDependencies } from '../index-dependencies.ts';
import { deleteBotRow, findBot, lockBot } from '../records/bots-store.ts';
import { listDocuments } from '../records/documents-store.ts';

/** Removes what is left of a bot whose versions are gone. */
export async function removeBot(deps: RunningDependencies, id: string): Promise<void> {
  const { database, vectors, queue } = deps;
  const row = await findBot(database, id);
  for (const collection of await collectionsOf(deps, id, row?.collection)) await vectors.drop(collection);
  for (const item of await queue.list({ kinds: [reembedKind], states: ['CREATED'], subject: id })) {
    await queue.cancel(item.id).catch(() => undefined);
  }
  await database.transaction(async (session) => {
    await lockBot(session, id);
    const bot = await findBot(session, id);
    // Somebody may have created it again while a canceled creation was being cleaned up.
    if (bot?.state !== 'deleting' || (await listDocuments(session, id)).length > 0) return;
    await deleteBotRow(session, id);
  });
  if (await findBot(database, id)) return;
  await deps.forget?.(id);
  await removeBotInfo(deps, id);
  await database.scrub();
}

/** Its own, and copies that were made of it: their names begin with the bot's id and a dot. */
async function collectionsOf(
  { vectors }: RunningDependencies,
  id: string,
  own: string | undefined,
): Promise<string[]> {
  const names = (await vectors.list()).map(({ name }) => name);
  return names.filter(
    (name) => name !== infoCollection && (name === id || name === own || name.startsWith(`${id}.`)),
  );
}

import type { IndexingPayload } from '../command-work.ts';
import { activeCommands, enqueueCommand } from '../commands/accept-command.ts';
import type { IndexDependencies, RunningDependencies } from '../index-dependencies.ts';
import { findBot, listBots } from '../records/bots-store.ts';
import { listBlobs, listDocuments, listUnsettled } from '../records/documents-store.ts';
import { removeBot } from './remove-bot.ts';
import { removeVersions } from './remove-retired.ts';

/** Removes the versions of a bot that no command is preparing or removing any more, and the bot if it was not to be. */
export async function cleanUp(deps: RunningDependencies, id: string, own: string): Promise<void> {
  const bot = await findBot(deps.database, id);
  if (!bot) return;
  const active = new Set((await activeCommands(deps, id)).map((item) => item.id));
  const versions = await listDocuments(deps.database, id, {
    states: ['pending', 'processing', 'built', 'retired'],
  });
  const left = versions.filter(({ command }) => command === null || command === own || !active.has(command));
  await removeVersions(deps, { bot: id, collection: bot.collection, versions: left });
  if (bot.state === 'deleting' && active.size === 0) await removeBot(deps, id);
}

/** Enqueues a clean-up for each bot that a command has left unfinished. */
export async function requestCleanUps(deps: IndexDependencies): Promise<void> {
  const { database } = deps;
  const unsettled = await listUnsettled(database);
  const halfway = (await listBots(database)).filter(({ state }) => state !== 'ready').map(({ id }) => id);
  for (const bot of new Set([...unsettled.map((one) => one.bot), ...halfway])) {
    const active = new Set((await activeCommands(deps, bot)).map(({ id }) => id));
    const isLeft = unsettled.some(
      (one) => one.bot === bot && (one.command === null || !active.has(one.command)),
    );
    if (isLeft || active.size === 0) await requestCleanUp(deps, bot);
  }
}

export async function requestCleanUp(deps: IndexDependencies, bot: string): Promise<void> {
  await deps.database.transaction((session) =>
    enqueueCommand(deps, session, { payload: { type: 'clean_up', bot } }),
  );
}

/** Files that other processes may still be receiving are left to them. */
const foreignAge = 86_400_000;

/** Deletes stored files that no version and no command knows: requests that were cut off by a crash left them. */
export async function sweepBlobs(deps: IndexDependencies, openedAt: number): Promise<number> {
  const { blobs, database, queue } = deps;
  const before = openedAt - (database.exclusive ? 0 : foreignAge);
  const found: string[] = [];
  for await (const { key, modifiedAt } of blobs.list('index/')) {
    if (modifiedAt.getTime() < before) found.push(key);
  }
  if (found.length === 0) return 0;
  const used = await listBlobs(database);
  for (const { payload } of await queue.list({ states: ['CREATED', 'RUNNING'], limit: 100_000 })) {
    const { sources } = payload as Partial<IndexingPayload>;
    if (sources !== undefined) used.add(sources);
  }
  const strays = found.filter((key) => !used.has(key));
  for (const key of strays) await blobs.delete(key);
  return strays.length;
}

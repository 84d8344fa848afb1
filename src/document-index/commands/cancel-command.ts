import type { Actor } from '../../contracts/actor.ts';
import type { CommandStatus } from '../../contracts/document-index/commands.ts';
import { Conflict } from '../../contracts/problems.ts';
import { recordAction } from '../../platform/audit/record-action.ts';
import type { Session } from '../../platform/database/database.ts';
import { type IndexingPayload, typeOf } from '../command-work.ts';
import type { IndexDependencies } from '../index-dependencies.ts';
import { findBot, lockBot, updateBot } from '../records/bots-store.ts';
import { deleteDocumentRows, listDocuments, updateDocuments } from '../records/documents-store.ts';
import { activeCommands, enqueueCommand } from './accept-command.ts';
import { describeCommand } from './command-status.ts';
import { requireCommand } from './read-commands.ts';

/** Cancels a command: the index is as before. Throws `Conflict` once the index has changed. */
export async function cancelCommand(
  deps: IndexDependencies,
  actor: Actor,
  { bot, command }: { bot: string; command: string },
): Promise<CommandStatus> {
  const { database, queue, clock } = deps;
  const { sources, status } = await database.transaction(async (session) => {
    await lockBot(session, bot);
    const item = await requireCommand(deps, bot, command, session);
    if (item.finishedAt !== null) throw new Conflict(`command '${command}' has already ended`);
    if (item.result !== null) {
      throw new Conflict(`command '${command}' has changed the index, and can no longer be canceled`);
    }
    const canceled = await queue.cancel(command, session);
    await forgetVersions(session, bot, command);
    await hideUnborn(deps, session, bot);
    await enqueueCommand(deps, session, { payload: { type: 'clean_up', bot } });
    await recordAction({ session, clock }, actor, {
      action: 'command.cancel',
      subject: command,
      details: { bot, type: typeOf(item) },
    });
    const { sources } = item.payload as Partial<IndexingPayload>;
    return { sources, status: describeCommand(canceled) };
  });
  if (sources !== undefined) await deps.blobs.delete(sources);
  return status;
}

/** What the command has prepared is no longer shown; the clean-up removes it. */
async function forgetVersions(session: Session, bot: string, command: string): Promise<void> {
  const versions = await listDocuments(session, bot, { command });
  const failed = versions.filter(({ state }) => state === 'error').map(({ id }) => id);
  const prepared = versions.filter(({ state }) => state !== 'error' && state !== 'active');
  await deleteDocumentRows(session, failed);
  await updateDocuments(
    session,
    prepared.map(({ id }) => id),
    { state: 'retired', command: null },
  );
}

/** A bot that was never complete is gone with its creation. */
async function hideUnborn(deps: IndexDependencies, session: Session, id: string): Promise<void> {
  const bot = await findBot(session, id);
  if (bot?.state !== 'creating' || (await activeCommands(deps, id, session)).length > 0) return;
  await updateBot(session, id, { state: 'deleting' });
}

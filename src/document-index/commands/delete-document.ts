import type { Actor } from '../../contracts/actor.ts';
import type { CommandAccepted } from '../../contracts/document-index/commands.ts';
import { NotFound } from '../../contracts/problems.ts';
import type { IndexDependencies } from '../index-dependencies.ts';
import { lockBot } from '../records/bots-store.ts';
import { listDocuments } from '../records/documents-store.ts';
import { requireBot } from '../records/find-bot.ts';
import { enqueueCommand, recordCommand, refuseBusyDocument } from './accept-command.ts';

/** Accepts the deletion of a document. */
export async function deleteDocument(
  deps: IndexDependencies,
  actor: Actor,
  { bot, name }: { bot: string; name: string },
): Promise<CommandAccepted> {
  return deps.database.transaction(async (session) => {
    await lockBot(session, bot);
    await requireBot(session, bot);
    await refuseBusyDocument(deps, bot, name, session);
    const versions = await listDocuments(session, bot, { name, states: ['active', 'error'] });
    if (versions.length === 0) throw new NotFound('document', name);
    const { id } = await enqueueCommand(deps, session, {
      payload: { type: 'delete_document', bot, document: name },
      document: name,
    });
    await recordCommand(deps, session, actor, {
      action: 'document.delete',
      subject: name,
      details: { bot, command: id },
    });
    return { command_id: id };
  });
}

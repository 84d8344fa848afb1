import type { Actor } from '../../contracts/actor.ts';
import type { CommandAccepted } from '../../contracts/document-index/commands.ts';
import { NotFound } from '../../contracts/problems.ts';
import { enqueueCommand, recordCommand, refuseBusyBot } from '../commands/accept-command.ts';
import type { IndexDependencies } from '../index-dependencies.ts';
import { lockBot } from '../records/bots-store.ts';
import { requireBot } from '../records/find-bot.ts';
import { listSources } from '../records/sources-store.ts';

/** Accepts that a bot forgets one of its sources, with the documents from it unless they shall stay. */
export async function removeSource(
  deps: IndexDependencies,
  actor: Actor,
  { bot, source, keep }: { bot: string; source: number; keep: boolean },
): Promise<CommandAccepted> {
  return deps.database.transaction(async (session) => {
    await lockBot(session, bot);
    await requireBot(session, bot);
    const row = (await listSources(session, bot)).find(({ id }) => Number(id) === source);
    if (!row) throw new NotFound('source', String(source));
    await refuseBusyBot(deps, bot, session);
    const { id } = await enqueueCommand(deps, session, {
      payload: { type: 'remove_source', bot, source, keep },
    });
    await recordCommand(deps, session, actor, {
      action: 'source.remove',
      subject: row.url,
      details: { bot, command: id, source, type: row.type, keep_documents: keep },
    });
    return { command_id: id };
  });
}

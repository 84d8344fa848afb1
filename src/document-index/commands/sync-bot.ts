import type { Actor } from '../../contracts/actor.ts';
import type { CommandAccepted } from '../../contracts/document-index/commands.ts';
import { Conflict, Unprocessable } from '../../contracts/problems.ts';
import type { IndexDependencies } from '../index-dependencies.ts';
import { lockBot, updateBot } from '../records/bots-store.ts';
import { requireBot } from '../records/find-bot.ts';
import { listSources } from '../records/sources-store.ts';
import { enqueueCommand, recordCommand, refuseBusyBot } from './accept-command.ts';

/** Accepts a sync of a bot with its sources. Scheduled ones are refused until they are due: another process may have
 * started it. */
export async function syncBot(
  deps: IndexDependencies,
  actor: Actor,
  { bot, scheduled = false }: { bot: string; scheduled?: boolean },
): Promise<CommandAccepted> {
  const { database, clock } = deps;
  return database.transaction(async (session) => {
    await lockBot(session, bot);
    const { sync_every, sync_due_at } = await requireBot(session, bot);
    await refuseBusyBot(deps, bot, session);
    const now = clock.now();
    if (scheduled && (sync_due_at ?? Number.POSITIVE_INFINITY) > now) {
      throw new Conflict(`bot '${bot}' is already being synced`);
    }
    const next = { sync_due_at: sync_every === null ? null : now + 1_000 * sync_every };
    const sources = await listSources(session, bot);
    if (sources.length === 0) {
      throw new Unprocessable(`bot '${bot}' has no sources: there is nothing to sync its documents with`);
    }
    await updateBot(session, bot, next);
    const { id } = await enqueueCommand(deps, session, { payload: { type: 'sync_bot', bot }, scheduled });
    await recordCommand(deps, session, actor, {
      action: 'bot.sync',
      subject: bot,
      details: { command: id, sources: sources.length },
    });
    return { command_id: id };
  });
}

import type { Actor } from '../../contracts/actor.ts';
import type { CommandAccepted } from '../../contracts/document-index/commands.ts';
import type { IndexDependencies } from '../index-dependencies.ts';
import { lockBot } from '../records/bots-store.ts';
import { requireBot } from '../records/find-bot.ts';
import { enqueueCommand, recordCommand, refuseBusyBot } from './accept-command.ts';

/** Accepts the deletion of a bot. */
export async function deleteBot(
  deps: IndexDependencies,
  actor: Actor,
  bot: string,
): Promise<CommandAccepted> {
  return deps.database.transaction(async (session) => {
    await lockBot(session, bot);
    await refuseBusyBot(deps, bot, session);
    await requireBot(session, bot);
    const { id } = await enqueueCommand(deps, session, { payload: { type: 'delete_bot', bot } });
    await recordCommand(deps, session, actor, {
      action: 'bot.delete',
      subject: bot,
      details: { command: id },
    });
    return { command_id: id };
  });
}

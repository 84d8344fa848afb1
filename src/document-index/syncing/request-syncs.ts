import { platformActor } from '../../contracts/actor.ts';
import { Problem } from '../../contracts/problems.ts';
import { syncBot } from '../commands/sync-bot.ts';
import type { IndexDependencies } from '../index-dependencies.ts';
import { listDueBots } from '../records/sources-store.ts';

/** Starts the syncs that are due. A bot that is busy with another command is synced after it. */
export async function requestDueSyncs(deps: IndexDependencies, signal: AbortSignal): Promise<void> {
  for (const { id } of await listDueBots(deps.database, deps.clock.now())) {
    signal.throwIfAborted();
    try {
      await syncBot(deps, platformActor('sync_every'), { bot: id, scheduled: true });
    } catch (error) {
      // It may have been deleted meanwhile, or another process was faster.
      if (!(error instanceof Problem)) throw error;
    }
  }
}

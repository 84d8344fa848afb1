import type { BotCounts } from '../../contracts/management/status.ts';
import type { IndexDependencies } from '../index-dependencies.ts';
import { listBots } from '../records/bots-store.ts';
import { listAnswering } from '../records/documents-store.ts';
import { describeEmptyBot } from './empty-bot.ts';

/** How many bots there are, by their status. */
export async function countBots(deps: Pick<IndexDependencies, 'database' | 'queue'>): Promise<BotCounts> {
  const counts: BotCounts = { ready: 0, creating: 0, failed: 0, empty: 0 };
  const answering = await listAnswering(deps.database);
  for (const { id, state } of await listBots(deps.database)) {
    if (state === 'deleting') continue;
    counts[answering.has(id) ? 'ready' : (await describeEmptyBot(deps, id)).status]++;
  }
  return counts;
}

import type { BotRecord } from '../../contracts/document-index/bots.ts';
import { botKey, indexingKind } from '../command-work.ts';
import type { IndexDependencies } from '../index-dependencies.ts';
import { findFailures } from '../records/documents-store.ts';

export interface EmptyBot {
  status: Extract<BotRecord['status'], 'creating' | 'failed' | 'empty'>;
  /** Why it can't answer; null while it is being indexed. */
  problem: string | null;
}

/** What a bot without searchable documents waits for, or why it has none. */
export async function describeEmptyBot(
  { database, queue }: Pick<IndexDependencies, 'database' | 'queue'>,
  bot: string,
): Promise<EmptyBot> {
  const active = await queue.active([botKey(bot)]);
  if (active.some(({ kind }) => kind === indexingKind)) return { status: 'creating', problem: null };
  const { count, first } = await findFailures(database, bot);
  if (first) {
    const none = count === 1 ? 'Its only document could not' : `None of its ${count} documents could`;
    return { status: 'failed', problem: `${none} be indexed: ${first.name}: ${first.error}` };
  }
  const [last] = await queue.list({ kinds: [indexingKind], subject: bot, limit: 1 });
  if (last?.state === 'FAILED') {
    return { status: 'failed', problem: `The indexing was given up: ${last.error ?? 'it failed'}` };
  }
  return { status: 'empty', problem: 'It has no documents.' };
}

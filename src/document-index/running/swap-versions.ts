import type { Session } from '../../platform/database/database.ts';
import type { IndexingPayload, StoredResult } from '../command-work.ts';
import type { RunningDependencies } from '../index-dependencies.ts';
import { lockBot, updateBot } from '../records/bots-store.ts';
import { deleteDocumentRows, listDocuments, updateDocuments } from '../records/documents-store.ts';
import { planSwap } from './plan-swap.ts';

/** Lets the prepared versions answer instead of the old ones, all at once. */
export async function swapVersions(
  { clock }: Pick<RunningDependencies, 'clock'>,
  session: Session,
  command: string,
  { bot, type, userStory }: IndexingPayload,
): Promise<StoredResult> {
  await lockBot(session, bot);
  const now = clock.now();
  const all = await listDocuments(session, bot);
  const own = all.filter((version) => version.command === command);
  const active = all.filter(({ state }) => state === 'active');
  const whole = type === 'create_bot';
  const { activate, retire, result } = planSwap(whole, own, active);
  // First, because a name has at most one active version.
  await updateDocuments(session, retire, { state: 'retired', command });
  await updateDocuments(session, activate, { state: 'active', indexed_at: now });
  const names = new Set(own.map(({ name }) => name));
  const outdated = all.filter(
    ({ state, command: of, name }) => state === 'error' && of !== command && (whole || names.has(name)),
  );
  await deleteDocumentRows(
    session,
    outdated.map(({ id }) => id),
  );
  await updateBot(session, bot, {
    state: 'ready',
    changed_at: now,
    ...(userStory === undefined ? {} : { user_story: userStory }),
  });
  return result;
}

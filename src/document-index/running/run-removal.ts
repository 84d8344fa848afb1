import type { Session } from '../../platform/database/database.ts';
import type { WorkContext } from '../../platform/queue/work-kind.ts';
import type { RemovalPayload, StoredResult } from '../command-work.ts';
import type { RemovedTraces, RunningDependencies } from '../index-dependencies.ts';
import { lockBot, updateBot } from '../records/bots-store.ts';
import {
  countChunks,
  deleteDocumentRows,
  listDocuments,
  updateDocuments,
} from '../records/documents-store.ts';
import { requireBot } from '../records/find-bot.ts';
import { deleteSources } from '../records/sources-store.ts';
import { checkQuestions } from './check-questions.ts';
import { cleanUp } from './clean-up.ts';
import { introduceBot } from './introduce-bot.ts';
import { removeBot } from './remove-bot.ts';
import { removeRetired } from './remove-retired.ts';

type RemovalContext = WorkContext<RemovalPayload>;

/** Deletes a bot or a document, or cleans up after commands that ended early. */
export async function runRemoval(
  deps: RunningDependencies,
  context: RemovalContext,
): Promise<StoredResult | null> {
  const { type, bot, document } = context.payload;
  if (type === 'clean_up') {
    await cleanUp(deps, bot, context.id);
    return null;
  }
  let saved = context.saved as StoredResult | null;
  if (saved === null) {
    const points = await pointsOf(deps, bot);
    await context.save(async (session) => {
      saved = await retire(deps, session, context, points);
      return saved;
    });
  }
  context.signal.throwIfAborted();
  const removed = await removeRetired(deps, bot);
  const result = saved as unknown as StoredResult;
  const deleted = highest(result.deleted as RemovedTraces, removed);
  if (document === undefined) {
    await removeBot(deps, bot);
    return { ...result, deleted };
  }
  await introduceBot(deps, bot, context.signal);
  return { ...result, deleted, ...(await checkQuestions(deps, bot, context.signal)) };
}

/** From here on it is no longer found. What there is to remove is counted first: after a crash, less is left. */
async function retire(
  { clock }: RunningDependencies,
  session: Session,
  { id: command, payload: { bot, document } }: RemovalContext,
  points: ReadonlyMap<number, number>,
): Promise<StoredResult> {
  await lockBot(session, bot);
  await requireBot(session, bot);
  const versions = await listDocuments(session, bot, document === undefined ? {} : { name: document });
  const ids = versions.map(({ id }) => id);
  const chunks = await countChunks(session, bot);
  const failed = versions.filter(({ state }) => state === 'error').map(({ id }) => id);
  await deleteDocumentRows(session, failed);
  await updateDocuments(session, ids, { state: 'retired', command });
  // The next sync would bring the document back.
  for (const { url } of versions)
    if (document !== undefined && url !== null) await deleteSources(session, bot, url);
  const now = clock.now();
  await updateBot(session, bot, {
    changed_at: now,
    ...(document === undefined ? { state: 'deleting' } : {}),
  });
  const vectors = total(ids, points);
  const files = versions.filter(({ blob }) => blob !== null).length;
  return {
    added: [],
    skipped: [],
    failed: [],
    deleted: { chunks: total(ids, chunks), vectors, full_text_entries: vectors, files },
  };
}

async function pointsOf(
  { database, vectors }: RunningDependencies,
  bot: string,
): Promise<Map<number, number>> {
  const { collection } = await requireBot(database, bot);
  return vectors.count(collection);
}

const total = (ids: readonly number[], counts: ReadonlyMap<number, number>) =>
  ids.reduce((sum, id) => sum + (counts.get(id) ?? 0), 0);

function highest(one: RemovedTraces, other: RemovedTraces): RemovedTraces {
  return {
    chunks: Math.max(one.chunks, other.chunks),
    vectors: Math.max(one.vectors, other.vectors),
    full_text_entries: Math.max(one.full_text_entries, other.full_text_entries),
    files: Math.max(one.files, other.files),
  };
}

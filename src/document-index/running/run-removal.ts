import type { Session } from '../../platform/database/database.ts';
import type { WorkContext } from '../../platform/queue/work-kind.ts';
import type { RemovalPayload, StoredResult } from '../command-work.ts';
import { sourceJson } from '../commands/new-documents.ts';
import type { RemovedTraces, RunningDependencies } from '../index-dependencies.ts';
import { lockBot, updateBot } from '../records/bots-store.ts';
import {
  countChunks,
  deleteDocumentRows,
  listDocuments,
  updateDocuments,
} from '../records/documents-store.ts';
import { requireBot } from '../records/find-bot.ts';
import { deleteSource, deleteSources, listSources } from '../records/sources-store.ts';
import type { StoredDocument } from '../tables.ts';
import { checkQuestions } from './check-questions.ts';
import { cleanUp } from './clean-up.ts';
import { introduceBot } from './introduce-bot.ts';
import { removeBot } from './remove-bot.ts';
import { removeRetired } from './remove-retired.ts';

type RemovalContext = WorkContext<RemovalPayload>;

/** Deletes a bot, a document or a source with its documents, or cleans up after commands that ended early. */
export async function runRemoval(
  deps: RunningDependencies,
  context: RemovalContext,
): Promise<StoredResult | null> {
  const { type, bot } = context.payload;
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
  if (type === 'delete_bot') {
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
  { id: command, payload }: RemovalContext,
  points: ReadonlyMap<number, number>,
): Promise<StoredResult> {
  const { bot, type } = payload;
  await lockBot(session, bot);
  await requireBot(session, bot);
  const versions = await versionsOf(session, payload);
  const ids = versions.map(({ id }) => id);
  const chunks = await countChunks(session, bot);
  const failed = versions.filter(({ state }) => state === 'error').map(({ id }) => id);
  await deleteDocumentRows(session, failed);
  await updateDocuments(session, ids, { state: 'retired', command });
  await forgetSources(session, payload, versions);
  const now = clock.now();
  await updateBot(session, bot, { changed_at: now, ...(type === 'delete_bot' ? { state: 'deleting' } : {}) });
  const vectors = total(ids, points);
  const files = versions.filter(({ blob }) => blob !== null).length;
  return {
    added: [],
    skipped: [],
    failed: [],
    ...(type === 'remove_source' && { removed: answering(versions).map(({ name }) => name) }),
    deleted: { chunks: total(ids, chunks), vectors, full_text_entries: vectors, files },
  };
}

/** The versions that go: of the bot, of the document, or of the source. */
async function versionsOf(
  session: Session,
  { bot, type, document, source, keep = false }: RemovalPayload,
): Promise<StoredDocument[]> {
  const versions = await listDocuments(session, bot, document === undefined ? {} : { name: document });
  if (type !== 'remove_source') return versions;
  const row = (await listSources(session, bot)).find(({ id }) => Number(id) === source);
  const json = row && sourceJson(row.type, row.url);
  const own = versions.filter(({ source_json }) => source_json === json);
  // Records of failures say nothing any more.
  return keep ? own.filter(({ state }) => state === 'error') : own;
}

const answering = (versions: readonly StoredDocument[]) => versions.filter(({ state }) => state === 'active');

/** The next sync would bring the documents back. A bot without sources is no longer synced. */
async function forgetSources(
  session: Session,
  { bot, type, source }: RemovalPayload,
  versions: readonly StoredDocument[],
): Promise<void> {
  if (type === 'delete_document') {
    for (const { url } of versions) if (url !== null) await deleteSources(session, bot, url);
  }
  if (type !== 'remove_source' || source === undefined) return;
  await deleteSource(session, source);
  if ((await listSources(session, bot)).length > 0) return;
  await updateBot(session, bot, { sync_every: null, sync_due_at: null });
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

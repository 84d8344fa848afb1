import type { SourceDescriptor } from '../../contracts/document-index/sources.ts';
import type { WorkContext } from '../../platform/queue/work-kind.ts';
import type { IndexingPayload, StoredResult } from '../command-work.ts';
import { unsealSources } from '../commands/sealed-sources.ts';
import type { RunningDependencies } from '../index-dependencies.ts';
import { findBot } from '../records/bots-store.ts';
import { listDocuments } from '../records/documents-store.ts';
import { requireBot } from '../records/find-bot.ts';
import { type PreparedSync, prepareSync } from '../syncing/prepare-sync.ts';
import { swapSync } from '../syncing/swap-sync.ts';
import type { BotRow, StoredDocument } from '../tables.ts';
import { checkQuestions } from './check-questions.ts';
import { chooseModel } from './choose-model.ts';
import { countProgress } from './count-progress.ts';
import { introduceBot } from './introduce-bot.ts';
import { listSources } from './list-sources.ts';
import { type Preparation, prepareDocument } from './prepare-document.ts';
import { requestReembedding } from './reembed-bots.ts';
import { nothing, removeRetired } from './remove-retired.ts';
import { swapVersions } from './swap-versions.ts';

type IndexingContext = WorkContext<IndexingPayload>;

/**
 * Creates or rebuilds a bot, adds documents to it, or syncs it with its sources. Versions are prepared hidden and swap in at once; every step
 * before and after that can be repeated.
 */
export async function runIndexing(
  deps: RunningDependencies,
  context: IndexingContext,
): Promise<StoredResult> {
  const { payload, signal } = context;
  const { bot, sources } = payload;
  let result = context.saved as StoredResult | null;
  if (result === null) {
    const { id: command } = context;
    const sync = payload.type === 'sync_bot' ? await prepareSync(deps, { bot, command, signal }) : null;
    const descriptors = sources === undefined ? [] : await unsealSources(deps, sources);
    await prepareDocuments(deps, context, sync ?? { items: await listed(deps, context, descriptors) });
    await context.save(async (session) => {
      result = sync
        ? await swapSync(deps, session, { bot, command, sync })
        : await swapVersions(deps, session, { command, payload, sources: descriptors });
      return result;
    });
  }
  signal.throwIfAborted();
  const deleted = await removeRetired(deps, bot);
  if (isIdle(result as unknown as StoredResult))
    return { ...(result as unknown as StoredResult), deleted: nothing };
  if (sources !== undefined) await deps.blobs.delete(sources);
  await introduceBot(deps, bot, signal);
  await requestReembedding(deps, bot, signal);
  const checked = await checkQuestions(deps, bot, signal);
  return { ...(result as unknown as StoredResult), deleted, ...checked };
}

/** A sync that changed nothing: what is said about the bot is true, and no model need be asked. */
const isIdle = ({ added, removed }: StoredResult) => removed?.length === 0 && added.length === 0;

const listed = (
  deps: RunningDependencies,
  { id: command, payload: { bot, type }, signal }: IndexingContext,
  sources: readonly SourceDescriptor[],
) =>
  sources.length === 0
    ? new Map()
    : listSources(deps, { bot, command, sources, adds: type !== 'create_bot', signal });

async function prepareDocuments(
  deps: RunningDependencies,
  context: IndexingContext,
  { items, remove }: Pick<PreparedSync, 'items'> & Partial<PreparedSync>,
): Promise<void> {
  const { id: command, payload, signal } = context;
  const { database, settings } = deps;
  const bot = await requireBot(database, payload.bot);
  const all = await listDocuments(database, bot.id);
  const own = all.filter((version) => version.command === command);
  const waiting = own.filter(({ state }) => state === 'pending' || state === 'processing');
  if (remove && waiting.length === 0) return;
  const active = all.filter(({ state, id }) => state === 'active' && !remove?.has(id));
  const failing = new AbortController();
  const preparation: Preparation = {
    bot: await embeddedBot(deps, bot),
    command,
    model: await chooseModel(deps, bot, signal),
    items,
    present: remove ? bySource(active) : byName(active),
    contents: contentsOf(payload.type === 'create_bot', own, all),
    whole: payload.type === 'create_bot',
    signal: AbortSignal.any([signal, failing.signal]),
  };
  const counts = { done: own.length - waiting.length, total: own.length };
  const progress = countProgress(counts, (report) => context.report(report));
  const queue = waiting.values();
  const work = async () => {
    for (const version of queue) {
      preparation.signal.throwIfAborted();
      await prepareDocument(deps, preparation, version, ({ done, total }) => {
        progress.chunks(version.id, { done, total: total ?? 0 });
      });
      progress.complete(version.id);
    }
  };
  const workers = Array.from({ length: Math.min(settings.parallel_documents, waiting.length) }, () =>
    work().catch((error: unknown) => {
      failing.abort(error);
      throw error;
    }),
  );
  // All of them have returned before the next attempt begins.
  const outcomes = await Promise.allSettled(workers);
  if (outcomes.some(({ status }) => status === 'rejected')) throw failing.signal.reason;
}

function byName(active: readonly StoredDocument[]): Preparation['present'] {
  const versions = new Map(active.map((version) => [version.name, version]));
  return ({ name }) => versions.get(name);
}

/** In a sync, documents may have changed their names. */
function bySource(active: readonly StoredDocument[]): Preparation['present'] {
  const versions = new Map(active.map((version) => [version.source_id ?? '', version]));
  return ({ source_id }) => versions.get(source_id ?? '');
}

const embeddedBot = async ({ database }: RunningDependencies, bot: BotRow) =>
  (await findBot(database, bot.id)) ?? bot;

/** The contents that the bot will have anyway: a document with one of them under another name adds nothing. */
function contentsOf(
  whole: boolean,
  own: readonly StoredDocument[],
  all: readonly StoredDocument[],
): Map<string, string> {
  const active = all.filter(({ state }) => state === 'active');
  const sent = new Map(own.map(({ name, sha256 }) => [name, sha256]));
  const staying = whole ? active.filter(({ name, sha256 }) => sent.get(name) === sha256) : active;
  const built = own.filter(({ state }) => state === 'built');
  return new Map([...staying, ...built].map(({ sha256, name }) => [sha256 ?? '', name]));
}

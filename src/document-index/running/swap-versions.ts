import type { SourceDescriptor } from '../../contracts/document-index/sources.ts';
import type { Session } from '../../platform/database/database.ts';
import type { IndexingPayload, StoredResult } from '../command-work.ts';
import { shownUrl, sourceJson } from '../commands/new-documents.ts';
import type { RunningDependencies } from '../index-dependencies.ts';
import { lockBot, updateBot } from '../records/bots-store.ts';
import { deleteDocumentRows, listDocuments, updateDocuments } from '../records/documents-store.ts';
import { requireBot } from '../records/find-bot.ts';
import { addSources, deleteSources, listSources } from '../records/sources-store.ts';
import { sealedRows } from '../syncing/bot-sources.ts';
import { noteResults } from '../syncing/source-results.ts';
import type { BotRow, StoredDocument } from '../tables.ts';
import { isSource, planSwap, unchanged } from './plan-swap.ts';

interface Swap {
  command: string;
  payload: IndexingPayload;
  /** The sources of the command. */
  sources: readonly SourceDescriptor[];
}

/** Lets the prepared versions answer instead of the old ones, all at once. */
export async function swapVersions(
  deps: Pick<RunningDependencies, 'clock' | 'secrets'>,
  session: Session,
  { command, payload, sources }: Swap,
): Promise<StoredResult> {
  const { bot, type, userStory } = payload;
  await lockBot(session, bot);
  const now = deps.clock.now();
  const all = await listDocuments(session, bot);
  const own = all.filter((version) => version.command === command);
  const active = all.filter(({ state }) => state === 'active');
  const whole = type === 'create_bot';
  const { activate, retire, result } = planSwap(whole, own, active);
  const retired = new Set(retire);
  const added = new Set(result.added);
  // First, because a name has at most one active version.
  await updateDocuments(session, retire, { state: 'retired', command });
  await updateDocuments(session, activate, { state: 'active', indexed_at: now, error: null });
  await adoptOrigins(session, own, active);
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
  // A document that could not be added leaves no source behind.
  if (whole || result.error === null) {
    await keepSources(deps, session, payload, sources);
    const outcome = {
      built: own.filter(({ state }) => state === 'built'),
      failed: own.filter(({ state }) => state === 'error'),
      skipped: own.filter(({ state, error }) => state === 'retired' && error !== null),
      removed: active.filter(({ id, name }) => retired.has(id) && !added.has(name)),
      before: active,
      unchanged: new Map(),
    };
    await noteResults(session, { bot, now, outcome }, namedSources(sources, outcome.failed));
  }
  return result;
}

/** The sources of the command as versions name them, with the reason where one could not be listed. */
function namedSources(sources: readonly SourceDescriptor[], failed: readonly StoredDocument[]) {
  return sources.map(({ type, url: address }) => {
    const url = shownUrl(address);
    const json = sourceJson(type, url);
    const own = failed.find((version) => version.source_json === json && isSource(version));
    return { type, url, json, problem: own?.error ?? null };
  });
}

/** A document that was there already belongs to where it was found now. */
async function adoptOrigins(
  session: Session,
  own: readonly StoredDocument[],
  active: readonly StoredDocument[],
): Promise<void> {
  const present = new Map(active.map((version) => [version.name, version]));
  for (const { name, error, ...version } of own) {
    const same = error === unchanged ? present.get(name) : undefined;
    if (!same) continue;
    const { url, source_json, source_id, source_version, path_json, containers_json } = version;
    const origin = { url, source_json, source_id, source_version, path_json, containers_json };
    await updateDocuments(session, [same.id], origin);
  }
}

/** Keeps the sources for later syncs. A rebuild replaces those of the bot. */
async function keepSources(
  { clock, secrets }: Pick<RunningDependencies, 'clock' | 'secrets'>,
  session: Session,
  { bot, type, syncEvery }: IndexingPayload,
  sources: readonly SourceDescriptor[],
): Promise<void> {
  const now = clock.now();
  if (type === 'create_bot') await deleteSources(session, bot);
  await addSources(session, sealedRows({ secrets }, bot, sources, now));
  if (type !== 'create_bot') return;
  const every = syncEvery ?? (await requireBot(session, bot)).sync_every;
  const schedule: Partial<BotRow> =
    every === null || (await listSources(session, bot)).length === 0
      ? { sync_every: null, sync_due_at: null }
      : { sync_every: every, sync_due_at: now + 1_000 * every };
  await updateBot(session, bot, schedule);
}

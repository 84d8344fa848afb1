import type { Session } from '../../platform/database/database.ts';
import { type StoredResult, warningsOf } from '../command-work.ts';
import type { RunningDependencies } from '../index-dependencies.ts';
import { lockBot, updateBot } from '../records/bots-store.ts';
import { deleteDocumentRows, listDocuments, updateDocuments } from '../records/documents-store.ts';
import type { StoredDocument } from '../tables.ts';
import type { PreparedSync } from './prepare-sync.ts';
import { noteResults } from './source-results.ts';

/** Lets the versions that a sync has prepared answer, and ends what its sources no longer have, all at once. */
export async function swapSync(
  { clock }: Pick<RunningDependencies, 'clock'>,
  session: Session,
  { bot, command, sync }: { bot: string; command: string; sync: PreparedSync },
): Promise<StoredResult> {
  await lockBot(session, bot);
  const now = clock.now();
  const all = await listDocuments(session, bot);
  const own = all.filter((version) => version.command === command);
  const active = all.filter(({ state }) => state === 'active');
  const built = own.filter(({ state }) => state === 'built');
  const failed = own.filter(({ state }) => state === 'error');
  const skipped = own.filter(({ state, error }) => state === 'retired' && error !== null);
  const removed = all.filter(({ id }) => sync.remove.has(id));
  const replaced = new Set(built.map(({ source_id }) => source_id));
  const retired = active.filter(({ id, source_id }) => sync.remove.has(id) || replaced.has(source_id));
  // First, because a name has at most one active version.
  await updateDocuments(session, retired.map(idOf), { state: 'retired', command });
  await updateDocuments(session, built.map(idOf), { state: 'active', indexed_at: now, error: null });
  for (const { source_id, source_version, source_json, containers_json } of skipped) {
    const same = active.filter((version) => version.source_id === source_id);
    await updateDocuments(session, same.map(idOf), { source_version, source_json, containers_json });
  }
  const places = Map.groupBy(sync.moved, ({ source_json, containers_json }) => source_json + containers_json);
  for (const together of places.values()) {
    const [{ source_json, containers_json } = {}] = together;
    if (source_json === undefined || containers_json === undefined) continue;
    const ids = together.map(({ id }) => id);
    await updateDocuments(session, ids, { source_json, containers_json });
  }
  const gone = removed.filter(({ state }) => state === 'error');
  await deleteDocumentRows(session, [...new Set([...sync.outdated, ...gone.map(idOf)])]);
  const outcome = { built, failed, skipped, removed, before: active, unchanged: sync.unchanged };
  await noteResults(session, { bot, now, outcome }, sync.sources);
  if (built.length + retired.length > 0) await updateBot(session, bot, { changed_at: now });
  return {
    added: built.map(({ name }) => name),
    removed: removed.map(({ name }) => name),
    unchanged: [...sync.unchanged.values()].reduce((sum, count) => sum + count, 0),
    skipped: skipped.map(({ name, error }) => ({ name, reason: error ?? '' })),
    failed: failed.map(({ name, error }) => ({ name, error: error ?? '' })),
    ...warningsOf(built),
    error: sync.error,
  };
}

const idOf = ({ id }: StoredDocument) => id;

import type { RemovedTraces, RunningDependencies } from '../index-dependencies.ts';
import { findBot } from '../records/bots-store.ts';
import { listDocuments } from '../records/documents-store.ts';
import type { StoredDocument } from '../tables.ts';

/** Versions per call, so that a deletion is soon interrupted. */
const atOnce = 100;

export const nothing: RemovedTraces = { chunks: 0, vectors: 0, full_text_entries: 0, files: 0 };

/** Removes the retired versions of a bot with every trace. Only one item of work at a time deals with a bot. */
export async function removeRetired(deps: RunningDependencies, bot: string): Promise<RemovedTraces> {
  const row = await findBot(deps.database, bot);
  const versions = await listDocuments(deps.database, bot, { states: ['retired'] });
  return removeVersions(deps, {
    bot,
    collection: row?.collection ?? bot,
    versions,
  });
}

interface Removal {
  bot: string;
  collection: string;
  versions: readonly Pick<StoredDocument, 'id' | 'name'>[];
}

export async function removeVersions(
  { ingestion, database, forget }: Pick<RunningDependencies, 'ingestion' | 'database' | 'forget'>,
  { bot, collection, versions }: Removal,
): Promise<RemovedTraces> {
  const ids = versions.map(({ id }) => id);
  let removed = nothing;
  for (const name of new Set(versions.map((version) => version.name))) await forget?.(bot, name);
  for (let start = 0; start < ids.length; start += atOnce) {
    const part = await ingestion.removeVersions({ bot, collection, ids: ids.slice(start, start + atOnce) });
    removed = sum(removed, part);
  }
  if (ids.length > 0) await database.scrub();
  return removed;
}

function sum(one: RemovedTraces, other: RemovedTraces): RemovedTraces {
  return {
    chunks: one.chunks + other.chunks,
    vectors: one.vectors + other.vectors,
    full_text_entries: one.full_text_entries + other.full_text_entries,
    files: one.files + other.files,
  };
}

import { setImmediate as breathe } from 'node:timers/promises';
import { deleteSomeChunks } from './chunks-store.ts';
import { nextCollection } from './collections/next-collection.ts';
import type { IngestionDependencies } from './ingestion-dependencies.ts';
import { forgetPhrases } from './profile/forget-phrases.ts';
import { deleteVersion, isBlobShared, versionsById } from './versions/versions-store.ts';

export interface Removal {
  bot: string;
  collection: string;
  ids: readonly number[];
}

export interface RemovedCounts {
  chunks: number;
  vectors: number;
  full_text_entries: number;
  files: number;
}

const rowsAtOnce = 200;

/**
 * Removes versions with every trace: points, chunks, files, rows, quotes in the bot's description, and what SQLite's
 * write-ahead log still holds of them. The rows of the versions go last, so that an interrupted removal can be repeated.
 */
export async function removeVersions(
  { database, vectors, blobs }: Pick<IngestionDependencies, 'database' | 'vectors' | 'blobs'>,
  { bot, collection, ids }: Removal,
): Promise<RemovedCounts> {
  const counts: RemovedCounts = { chunks: 0, vectors: 0, full_text_entries: 0, files: 0 };
  if (ids.length === 0) return counts;
  await forgetPhrases(database, bot, ids);
  const points = await vectors.remove(collection, ids);
  counts.vectors = points;
  counts.full_text_entries = points;
  // While a bot is being embedded again, its points are in two collections.
  const others = [bot, nextCollection(bot)].filter((name) => name !== collection);
  for (const other of others) await vectors.remove(other, ids);
  for (const version of await versionsById(database, bot, ids)) {
    for (let deleted = rowsAtOnce; deleted === rowsAtOnce; ) {
      deleted = await deleteSomeChunks(database, version.id, rowsAtOnce);
      counts.chunks += deleted;
      await breathe();
    }
    if (version.blob !== null && !(await isBlobShared(database, version.blob, ids))) {
      if (await blobs.head(version.blob)) counts.files++;
      await blobs.delete(version.blob);
    }
    await deleteVersion(database, version.id);
  }
  await database.scrub();
  return counts;
}

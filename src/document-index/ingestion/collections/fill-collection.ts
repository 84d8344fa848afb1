import { chunksFrom } from '../chunks-store.ts';
import { embedChunks } from '../embedding/embed-chunks.ts';
import type { EmbeddingsModel } from '../embedding/embeddings-model.ts';
import { indexedText } from '../embedding/indexed-text.ts';
import { embeddingForm } from '../embedding/model-prefixes.ts';
import { unitVector } from '../embedding/unit-vector.ts';
import type { IngestionDependencies } from '../ingestion-dependencies.ts';
import { pointOf } from '../versions/point-of.ts';
import { findVersion, livingVersions, type StoredVersion } from '../versions/versions-store.ts';

interface Filling {
  bot: string;
  collection: string;
  model: EmbeddingsModel;
  signal: AbortSignal;
  onProgress(progress: { done: number; total: number }): void;
}

const chunksAtOnce = 64;
/** The points of others are not complete yet, or are being removed. */
const isSettled = ({ state }: StoredVersion) => state === 'built' || state === 'active';

/** Embeds what the collection lacks, and removes what no longer belongs there. */
export async function fillCollection(deps: IngestionDependencies, filling: Filling): Promise<void> {
  const { database, vectors } = deps;
  const { bot, collection, signal, onProgress } = filling;
  const versions = (await livingVersions(database, bot)).filter(isSettled);
  const counts = await vectors.count(collection);
  const known = new Set(versions.map(({ id }) => id));
  const orphans = [...counts.keys()].filter((group) => !known.has(group));
  if (orphans.length > 0) await vectors.remove(collection, orphans);
  const total = versions.reduce((sum, { chunks }) => sum + (chunks ?? 0), 0);
  let done = 0;
  for (const version of versions) {
    if ((counts.get(version.id) ?? 0) !== version.chunks) {
      await fillVersion(deps, filling, version, (chunks) => onProgress({ done: done + chunks, total }));
      signal.throwIfAborted();
      if (await isGone(deps, version.id)) await vectors.remove(collection, [version.id]);
    }
    done += version.chunks ?? 0;
    onProgress({ done, total });
  }
}

async function isGone({ database }: IngestionDependencies, id: number): Promise<boolean> {
  const version = await findVersion(database, id);
  return !version || !isSettled(version);
}

async function fillVersion(
  deps: IngestionDependencies,
  { collection, model, signal }: Filling,
  version: StoredVersion,
  onChunks: (done: number) => void,
): Promise<void> {
  const load = (position: number) => chunksFrom(deps.database, version.id, position, chunksAtOnce);
  let done = 0;
  for await (const embedded of embedChunks(deps, { model, from: 0, load, signal })) {
    await deps.vectors.upsert(
      collection,
      embedded.map((one) => pointOf(deps.termsOf, version, one)),
    );
    done += embedded.length;
    onChunks(done);
  }
}

/** Less than this, and the vectors of one text come from different models. */
const sameModel = 0.97;

/** Whether a collection that an interrupted run has left holds vectors of this model: it is asked for a known text. */
export async function isMadeBy(
  { database, vectors, inference }: IngestionDependencies,
  collection: string,
  model: EmbeddingsModel,
  signal: AbortSignal,
): Promise<boolean> {
  const info = (await vectors.list()).find(({ name }) => name === collection);
  const [group] = (await vectors.count(collection)).keys();
  if (info?.dimensions !== model.dimensions || group === undefined) return false;
  const [chunk] = await chunksFrom(database, group, 0, 1);
  if (!chunk) return false;
  const { prefix, purpose } = embeddingForm(model.name, 'document');
  const options = { model: model.name, credentials: 'platform' as const, signal, truncate: true, purpose };
  for await (const batch of inference.embed([prefix + indexedText(chunk)], options)) {
    const vector = batch.vectors[0] && unitVector(batch.vectors[0]);
    if (!vector) return false;
    const hits = await vectors.search(collection, {
      vector,
      terms: new Uint32Array(),
      limit: 3,
      groups: [group],
    });
    return hits.some(({ id, dense }) => id === chunk.id && (dense ?? 0) >= sameModel);
  }
  return false;
}

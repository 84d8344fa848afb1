import { Conflict } from '../../../contracts/problems.ts';
import { chunksFrom } from '../chunks-store.ts';
import { embedChunks } from '../embedding/embed-chunks.ts';
import type { IngestionDependencies } from '../ingestion-dependencies.ts';
import { gone, type Target } from './begin-version.ts';
import { pointOf } from './point-of.ts';
import { changePrepared, livingVersions, lockBot } from './versions-store.ts';

const chunksAtOnce = 64;

interface Indexing {
  signal: AbortSignal;
  onProgress(progress: { done: number; total: number | null }): void;
}

/** Puts the chunks that the vector store lacks into it. False if the bot has moved to another collection meanwhile. */
export async function indexVersion(
  deps: IngestionDependencies,
  target: Target,
  { signal, onProgress }: Indexing,
): Promise<boolean> {
  const { database, vectors, termsOf, clock } = deps;
  const { version, collection, model, patience } = target;
  await ensureCollection(deps, target);
  const total = version.chunks;
  let done = version.embedded;
  onProgress({ done, total });
  const load = (position: number) => chunksFrom(database, version.id, position, chunksAtOnce);
  for await (const embedded of embedChunks(deps, { model, patience, from: done, load, signal })) {
    await vectors.upsert(
      collection,
      embedded.map((one) => pointOf(termsOf, version, one)),
    );
    done += embedded.length;
    signal.throwIfAborted();
    const built = { state: 'built', indexed_at: clock.now() } as const;
    const isMoved = await record(deps, target, { embedded: done, ...(done === total && built) });
    if (isMoved) return false;
    onProgress({ done, total });
    if (done === total) return true;
  }
  // All chunks were in the store before a crash.
  return !(await record(deps, target, { state: 'built', indexed_at: clock.now() }));
}

/** What an earlier model has left behind in the collection of a bot without documents is dropped. */
async function ensureCollection(
  { database, vectors }: IngestionDependencies,
  { version, collection, model }: Target,
): Promise<void> {
  const dimensions = model?.dimensions ?? null;
  await vectors.ensure(collection, { dimensions }).catch(async (error) => {
    const others = (await livingVersions(database, version.bot)).filter(({ id }) => id !== version.id);
    if (!(error instanceof Conflict) || others.length > 0) throw error;
    await vectors.drop(collection);
    await vectors.ensure(collection, { dimensions });
  });
}

/** Records progress. If the bot's points are elsewhere by now, it returns true instead. */
function record(
  { database }: IngestionDependencies,
  { version, collection, model }: Target,
  change: Parameters<typeof changePrepared>[2],
): Promise<boolean> {
  return database.transaction(async (session) => {
    const bot = await lockBot(session, version.bot);
    const isMoved =
      bot.collection !== collection ||
      (model !== null && bot.embeddings_model !== null && bot.embeddings_model !== model.name);
    const changed = await changePrepared(session, version.id, isMoved ? { embedded: 0 } : change);
    if (!changed) throw gone(version);
    return isMoved;
  });
}

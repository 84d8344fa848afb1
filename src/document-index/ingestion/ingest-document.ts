import { Conflict, NotFound } from '../../contracts/problems.ts';
import type { Session } from '../../platform/database/database.ts';
import { chunksFrom } from './chunks-store.ts';
import { ModelReplaced } from './embedding/await-model.ts';
import { embedChunks } from './embedding/embed-chunks.ts';
import type { EmbeddingsModel } from './embeddings-model.ts';
import type { IngestionDependencies } from './ingestion-dependencies.ts';
import { pointOf } from './point-of.ts';
import { readVersion } from './read-version.ts';
import {
  changeBot,
  changePrepared,
  findVersion,
  livingVersions,
  lockBot,
  type StoredVersion,
} from './versions-store.ts';

export interface IngestDocumentInput {
  document: StoredVersion;
  /** The bot's collection and model. If they have changed by now, those in the bot's row are used. */
  collection: string;
  /**
   * Null where none is served. The document is then found by its words alone until the bot is embedded again; if the
   * bot has vectors, its model is waited for before that.
   */
  model: EmbeddingsModel | null;
  signal: AbortSignal;
  /** Progress in chunks; the total is not known before the document has been read. */
  onProgress(progress: { done: number; total: number | null }): void;
}

const chunksAtOnce = 64;
/** Milliseconds to wait for the bot's model if it was away before the document began. */
const awayAtStart = 600_000;

/**
 * Brings a version of a document from `pending` to `built`, hidden from searches. After a crash it goes on where it
 * stopped, and reads the file again only if that had not been completed. Errors concern this document alone.
 */
export async function ingestDocument(deps: IngestionDependencies, input: IngestDocumentInput): Promise<void> {
  const { signal, onProgress } = input;
  signal.throwIfAborted();
  let wordsOnly = false;
  for (;;) {
    const target = await begin(deps, input, wordsOnly);
    if (!target) return;
    if (target.version.chunks === null) {
      onProgress({ done: 0, total: null });
      target.version = await readVersion(deps, target.version, signal);
    }
    try {
      if (await indexVersion(deps, target, input)) return;
    } catch (error) {
      if (!(error instanceof ModelReplaced)) throw error;
      wordsOnly = true;
    }
  }
}

interface Target {
  version: StoredVersion;
  collection: string;
  model: EmbeddingsModel | null;
  patience: number | undefined;
}

/**
 * Marks the version as being processed, and says where its points go; null if it is already built. With words only, the
 * bot forgets its model, so that it is embedded again as a whole when there is one.
 */
async function begin(
  { database, vectors }: IngestionDependencies,
  { document, model }: IngestDocumentInput,
  wordsOnly: boolean,
): Promise<Target | null> {
  const target = await database.transaction(async (session) => {
    const bot = await lockBot(session, document.bot);
    const started = await changePrepared(session, document.id, { state: 'processing' });
    const version = await findVersion(session, document.id);
    if (!started && version?.state === 'built') return null;
    if (!started || !version) throw gone(document);
    if (wordsOnly) await changeBot(session, bot.id, { embeddings_model: null, dimensions: null });
    const own = wordsOnly ? null : await botsModel(session, bot, version, model);
    const patience = model ? undefined : awayAtStart;
    return { version, collection: bot.collection, model: own, patience };
  });
  if (!target || target.version.embedded === 0) return target;
  // The bot may have moved to another collection since those chunks were put into the store.
  const { version, collection } = target;
  const there = (await vectors.count(collection)).get(version.id);
  return there === version.embedded ? target : { ...target, version: { ...version, embedded: 0 } };
}

/**
 * The model of the bot's vectors, since those of two models can't be compared. The first document of a bot decides. A
 * bot whose documents have no vectors gets none for single ones either: it is embedded again as a whole.
 */
async function botsModel(
  session: Session,
  { id, embeddings_model: name, dimensions }: Awaited<ReturnType<typeof lockBot>>,
  version: StoredVersion,
  offered: EmbeddingsModel | null,
): Promise<EmbeddingsModel | null> {
  if (name !== null && dimensions !== null) return { name, dimensions };
  if (!offered) return null;
  if ((await livingVersions(session, id)).some((other) => other.id !== version.id)) return null;
  await changeBot(session, id, { embeddings_model: offered.name, dimensions: offered.dimensions });
  return offered;
}

const gone = ({ name }: Pick<StoredVersion, 'name'>) => new NotFound('document', name);

/** Puts the chunks that the vector store lacks into it. False if the bot has moved to another collection meanwhile. */
async function indexVersion(
  deps: IngestionDependencies,
  target: Target,
  { signal, onProgress }: IngestDocumentInput,
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

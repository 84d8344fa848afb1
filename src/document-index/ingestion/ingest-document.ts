import { NotFound } from '../../contracts/problems.ts';
import { chunksFrom } from './chunks-store.ts';
import { ModelReplaced } from './embedding/await-model.ts';
import { embedChunks } from './embedding/embed-chunks.ts';
import type { EmbeddingsModel } from './embeddings-model.ts';
import type { IngestionDependencies } from './ingestion-dependencies.ts';
import { pointOf } from './point-of.ts';
import { readVersion } from './read-version.ts';
import { changePrepared, findBot, findVersion, type StoredVersion } from './versions-store.ts';

export interface IngestDocumentInput {
  document: StoredVersion;
  /** The bot's collection and model. If they have changed by now, those in the bot's row are used. */
  collection: string;
  /** Null where none is served: the document is then found by its words alone until the bot is embedded again. */
  model: EmbeddingsModel | null;
  signal: AbortSignal;
  /** Progress in chunks; the total is not known before the document has been read. */
  onProgress(progress: { done: number; total: number | null }): void;
}

const chunksAtOnce = 64;

/**
 * Brings a version of a document from `pending` to `built`, hidden from searches. After a crash it goes on where it
 * stopped, and reads the file again only if that had not been completed. Errors concern this document alone.
 */
export async function ingestDocument(deps: IngestionDependencies, input: IngestDocumentInput): Promise<void> {
  const { signal, onProgress } = input;
  signal.throwIfAborted();
  const target = await begin(deps, input);
  if (!target) return;
  if (target.version.chunks === null) {
    onProgress({ done: 0, total: null });
    await readVersion(deps, target.version, signal);
  }
  const version = await preparedVersion(deps, target.version.id);
  try {
    await indexVersion(deps, { ...input, ...target, version });
  } catch (error) {
    if (!(error instanceof ModelReplaced)) throw error;
    // The bot will be embedded again with the new model; until then, this part of the document has words only.
    const latest = await preparedVersion(deps, version.id);
    await indexVersion(deps, { ...input, ...target, version: latest, model: null });
  }
  signal.throwIfAborted();
  const built = { state: 'built', indexed_at: deps.clock.now() } as const;
  if (!(await changePrepared(deps.database, version.id, built))) throw gone(version);
}

interface Target {
  version: StoredVersion;
  collection: string;
  model: EmbeddingsModel | null;
}

/** Marks the version as being processed; null if it is already built. */
function begin({ database }: IngestionDependencies, input: IngestDocumentInput): Promise<Target | null> {
  return database.transaction(async (session) => {
    const started = await changePrepared(session, input.document.id, { state: 'processing' });
    const version = await findVersion(session, input.document.id);
    if (!started && version?.state === 'built') return null;
    if (!started || !version) throw gone(input.document);
    const bot = await findBot(session, version.bot);
    if (!bot) throw new NotFound('bot', version.bot);
    const { collection, embeddings_model: name, dimensions } = bot;
    // Vectors of two models in one collection can't be compared.
    const own = name !== null && dimensions !== null ? { name, dimensions } : input.model;
    return { version, collection, model: input.model && own };
  });
}

async function preparedVersion({ database }: IngestionDependencies, id: number): Promise<StoredVersion> {
  const version = await findVersion(database, id);
  if (version?.state !== 'processing') throw gone({ name: version?.name ?? String(id) });
  return version;
}

const gone = ({ name }: Pick<StoredVersion, 'name'>) => new NotFound('document', name);

/** Embeds the chunks that are not in the vector store yet, and puts them there. */
async function indexVersion(
  deps: IngestionDependencies,
  target: IngestDocumentInput & Target,
): Promise<void> {
  const { database, vectors, termsOf } = deps;
  const { version, collection, model, signal, onProgress } = target;
  await vectors.ensure(collection, { dimensions: model?.dimensions ?? null });
  const total = version.chunks;
  let done = version.embedded;
  onProgress({ done, total });
  const load = (position: number) => chunksFrom(database, version.id, position, chunksAtOnce);
  for await (const embedded of embedChunks(deps, { model, from: done, load, signal })) {
    await vectors.upsert(
      collection,
      embedded.map((one) => pointOf(termsOf, version, one)),
    );
    done += embedded.length;
    if (!(await changePrepared(database, version.id, { embedded: done }))) throw gone(version);
    onProgress({ done, total });
  }
}

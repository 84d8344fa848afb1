import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/contracts/clock.ts';
import { openEmbeddingsModels } from '../../src/document-index/ingestion/embeddings-model.ts';
import { ingestDocument } from '../../src/document-index/ingestion/ingest-document.ts';
import type { IngestionDependencies } from '../../src/document-index/ingestion/ingestion-dependencies.ts';
import type { StoredVersion } from '../../src/document-index/ingestion/versions-store.ts';
import { openDocuments } from '../../src/documents/read-document.ts';
import { documentSettings } from '../../src/documents/settings.ts';
import { openFileBlobs } from '../../src/platform/blobs/file-blobs.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { createInference } from '../../src/platform/inference/inference.ts';
import { silentLogger } from '../../src/platform/telemetry/logger.ts';
import { openEmbeddedVectors } from '../../src/platform/vectors/embedded/embedded-vectors.ts';
import type { VectorStore } from '../../src/platform/vectors/vector-store.ts';
import { type RunningDispatcher, startDispatcher } from './dispatcher.ts';
import { openDatabase } from './open-database.ts';
import { termCounts } from './vectors.ts';

export interface IngestionSite {
  folder: string;
  dispatcher: RunningDispatcher;
  database: Database;
  vectors: VectorStore;
  deps: IngestionDependencies;
  /** Stores a file as a new version of a document. */
  addFile(bot: string, name: string, content: Uint8Array | string): Promise<StoredVersion>;
  version(id: number): Promise<StoredVersion | undefined>;
  ingest(document: StoredVersion, options?: Partial<Parameters<typeof ingestDocument>[1]>): Promise<void>;
  close(): Promise<void>;
}

/** Everything that ingestion stands on: a dispatcher for pods, a worker pool, a database and files. */
export async function openIngestionSite(): Promise<IngestionSite> {
  const folder = mkdtempSync(join(tmpdir(), 'roundhouse-ingestion-'));
  const dispatcher = await startDispatcher();
  const database = await openDatabase({ url: `sqlite:${join(folder, 'index.db')}` });
  const documents = openDocuments({ ...documentSettings.documents.parse({}), workers: 2 });
  const blobs = await openFileBlobs(join(folder, 'blobs'));
  const logger = silentLogger();
  const vectorSettings = { folder: join(folder, 'vectors'), memory: 2 ** 28, idle: 60_000 };
  const vectors = openEmbeddedVectors(vectorSettings, { logger });
  const inference = createInference({ transport: dispatcher.localTransport, ownKey: undefined });
  const models = openEmbeddingsModels({ inference });
  const deps: IngestionDependencies = {
    database,
    blobs,
    documents,
    layoutModels: () => undefined,
    inference,
    models,
    vectors,
    termsOf: countTerms,
    clock: systemClock,
    logger,
    spoolFolder: folder,
    sentences: false,
    settings: { chunk_characters: 1_200, table_characters: 3_000 },
  };
  return {
    folder,
    dispatcher,
    database,
    vectors,
    deps,
    async addFile(bot, name, content) {
      await addBot(database, bot);
      const { insertId } = await insertVersion(database, bot, name);
      const blob = `bots/${bot}/${insertId}`;
      const { size: bytes, sha256 } = await blobs.put(blob, [Buffer.from(content)]);
      await database.query
        .updateTable('bot_documents')
        .set({ blob, bytes, sha256 })
        .where('id', '=', insertId)
        .execute();
      return versionOf(database, insertId) as Promise<StoredVersion>;
    },
    version: (id) => versionOf(database, id),
    async ingest(document, options = {}) {
      const signal = options.signal ?? AbortSignal.timeout(120_000);
      const model = options.model === undefined ? await models.current(signal) : options.model;
      const onProgress = () => undefined;
      await ingestDocument(deps, {
        collection: document.bot,
        onProgress,
        ...options,
        document,
        model,
        signal,
      });
    },
    async close() {
      await documents.close();
      await vectors.close();
      await dispatcher.close();
      await database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function addBot(database: Database, id: string): Promise<void> {
  const row = {
    id,
    state: 'ready' as const,
    creator: 'test',
    user_story: '',
    hello_text: '',
    retrive_n: 30,
    support_n: 6,
    example_questions_json: '[]',
    collection: id,
    embeddings_model: null,
    dimensions: null,
    notes_json: '[]',
    created_at: 0,
    changed_at: 0,
  };
  await database.query
    .insertInto('bots')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

async function insertVersion(database: Database, bot: string, name: string): Promise<{ insertId: number }> {
  const { id } = await database.query
    .insertInto('bot_documents')
    .values({
      bot,
      name,
      state: 'pending',
      embedded: 0,
      languages_json: '[]',
      created_at: 0,
      url: null,
      source_json: null,
      source_id: null,
      source_version: null,
      command: null,
      blob: null,
      type: null,
      title: null,
      bytes: null,
      sha256: null,
      pages: null,
      chunks: null,
      error: null,
      indexed_at: null,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return { insertId: id };
}

const versionOf = (database: Database, id: number) =>
  database.query.selectFrom('bot_documents').selectAll().where('id', '=', id).executeTakeFirst();

/** Words as terms, without stems. */
function countTerms(text: string) {
  const counts = new Map<number, number>();
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    let hash = 7;
    for (const character of word) hash = (Math.imul(hash, 31) + (character.codePointAt(0) ?? 0)) >>> 0;
    counts.set(hash, (counts.get(hash) ?? 0) + 1);
  }
  return termCounts(counts);
}

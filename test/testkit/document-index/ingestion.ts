import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../src/contracts/clock.ts';
import { openEmbeddingsModels } from '../../../src/document-index/ingestion/embedding/embeddings-model.ts';
import { ingestDocument } from '../../../src/document-index/ingestion/ingest-document.ts';
import type { IngestionDependencies } from '../../../src/document-index/ingestion/ingestion-dependencies.ts';
import type { StoredVersion } from '../../../src/document-index/ingestion/versions/versions-store.ts';
import { openDocuments } from '../../../src/documents/read-document.ts';
import { documentSettings } from '../../../src/documents/settings.ts';
import { openFileBlobs } from '../../../src/platform/blobs/file-blobs.ts';
import type { Database } from '../../../src/platform/database/database.ts';
import { createInference } from '../../../src/platform/inference/inference.ts';
import { silentLogger } from '../../../src/platform/telemetry/logger.ts';
import { openEmbeddedVectors } from '../../../src/platform/vectors/embedded/embedded-vectors.ts';
import type { VectorStore } from '../../../src/platform/vectors/vector-store.ts';
import { type RunningDispatcher, startDispatcher } from '../dispatcher.ts';
import { openDatabase } from '../stores/open-database.ts';
import { addBot, addVersion, countTerms, versionOf } from './bot-rows.ts';

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
      const id = await addVersion(database, { bot, name });
      const blob = `bots/${bot}/${id}`;
      const { size: bytes, sha256 } = await blobs.put(blob, [Buffer.from(content)]);
      await database.query
        .updateTable('bot_documents')
        .set({ blob, bytes, sha256 })
        .where('id', '=', id)
        .execute();
      return versionOf(database, id) as Promise<StoredVersion>;
    },
    version: (id) => versionOf(database, id),
    async ingest(document, options = {}) {
      const signal = options.signal ?? AbortSignal.timeout(300_000);
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

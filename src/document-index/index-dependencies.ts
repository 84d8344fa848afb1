import type { Clock } from '../contracts/clock.ts';
import type { RegressionResult } from '../contracts/document-index/commands.ts';
import type { BlobStore } from '../platform/blobs/blob-store.ts';
import type { Database } from '../platform/database/database.ts';
import type { WorkQueue } from '../platform/queue/work-queue.ts';
import type { SecretBox } from '../platform/secrets/secret-box.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import type { VectorStore } from '../platform/vectors/vector-store.ts';
import type { EmbeddingsModel, EmbeddingsModels } from './ingestion/embedding/embeddings-model.ts';
import type { IndexSettings } from './settings.ts';
import type { Sources } from './sources/source.ts';
import type { StoredDocument } from './tables.ts';

/** What every verb of the index needs. */
export interface IndexDependencies {
  database: Database;
  clock: Clock;
  logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  queue: WorkQueue;
  blobs: BlobStore;
  vectors: VectorStore;
  settings: IndexSettings['index'];
  /** Encrypts what commands must keep of sources, such as tokens of wikis. */
  secrets: SecretBox;
}

/** What the handlers of commands need beyond that. */
export interface RunningDependencies extends IndexDependencies {
  ingestion: Ingestion;
  models: EmbeddingsModels;
  sources: Sources;
  /** Largest file that is fetched from a source. */
  largestFile: number;
  /** Puts the bot's regression questions after a change; null where it has none. */
  regression?: ((bot: string, signal: AbortSignal) => Promise<RegressionResult | null>) | undefined;
  /** Removes what other parts and earlier runs keep of a document of a bot, or of the whole bot. Safe to repeat. */
  forget?: ((bot: string, document?: string) => Promise<unknown>) | undefined;
  /** Writes the bot's greeting and example questions, where it has none, and notes for its operator. */
  introduce?: ((bot: string, signal: AbortSignal) => Promise<void>) | undefined;
}

export interface RemovedTraces {
  chunks: number;
  vectors: number;
  full_text_entries: number;
  files: number;
}

/** How versions of documents get into the index and out of it. Every step can be repeated after a crash. */
export interface Ingestion {
  /** Brings a version from `pending` or `processing` to `built`. Throws what concerns this document alone. */
  ingest(input: {
    document: StoredDocument;
    collection: string;
    model: EmbeddingsModel | null;
    signal: AbortSignal;
    onProgress(progress: { done: number; total: number | null }): void;
  }): Promise<void>;
  /** Removes versions with every trace: rows, chunks, points, files. */
  removeVersions(input: { bot: string; collection: string; ids: readonly number[] }): Promise<RemovedTraces>;
  /** Embeds the bot's chunks with the deployed model into a new collection, and lets it answer. */
  reembed(input: {
    bot: string;
    signal: AbortSignal;
    onProgress(progress: { done: number; total: number | null }): void;
  }): Promise<void>;
}

import type { Clock } from '../../contracts/clock.ts';
import type { Documents } from '../../documents/read-document.ts';
import type { BlobStore } from '../../platform/blobs/blob-store.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Inference } from '../../platform/inference/inference.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { TermCounts, VectorStore } from '../../platform/vectors/vector-store.ts';
import type { EmbeddingsModels } from './embedding/embeddings-model.ts';
import type { IngestionSettings } from './ingestion-settings.ts';

export interface IngestionDependencies {
  database: Database;
  blobs: Pick<BlobStore, 'get' | 'delete' | 'head' | 'localPath'>;
  documents: Pick<Documents, 'read'>;
  /** Files of the models that read pages as pictures, where they are here. */
  layoutModels(): Record<string, string> | undefined;
  inference: Pick<Inference, 'embed'>;
  models: EmbeddingsModels;
  vectors: VectorStore;
  termsOf(text: string): TermCounts;
  clock: Clock;
  logger: Pick<Logger, 'info' | 'warn'>;
  /** For files that the blob store keeps elsewhere (`platform/uploads/spool-folder.ts`). */
  spoolFolder: string;
  /** Whether the sentences of a passage get vectors of their own. */
  sentences: boolean;
  settings: Pick<IngestionSettings, 'chunk_characters' | 'table_characters'>;
}

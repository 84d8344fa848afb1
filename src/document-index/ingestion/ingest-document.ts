import { ModelReplaced } from './embedding/await-model.ts';
import type { EmbeddingsModel } from './embedding/embeddings-model.ts';
import type { IngestionDependencies } from './ingestion-dependencies.ts';
import { beginVersion } from './versions/begin-version.ts';
import { indexVersion } from './versions/index-version.ts';
import { readVersion } from './versions/read-version.ts';
import type { StoredVersion } from './versions/versions-store.ts';

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

/**
 * Brings a version of a document from `pending` to `built`, hidden from searches. After a crash it goes on where it
 * stopped, and reads the file again only if that had not been completed. Errors concern this document alone.
 */
export async function ingestDocument(deps: IngestionDependencies, input: IngestDocumentInput): Promise<void> {
  const { signal, onProgress } = input;
  signal.throwIfAborted();
  let wordsOnly = false;
  for (;;) {
    const target = await beginVersion(deps, input, wordsOnly);
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

import type { Readable } from 'node:stream';

/** Stores files of any size under keys such as `datasets/7/train.jsonl`, on disk or in an S3 bucket. */
export interface BlobStore {
  /**
   * Stores the content. Until this resolves, readers see no blob or the old content; afterwards the content survives
   * a crash. A failed or aborted put changes nothing.
   */
  put(key: string, content: BlobContent, options?: { signal?: AbortSignal }): Promise<StoredBlob>;

  /** Opens a blob; throws `NotFound`. The body must be read to the end or destroyed. */
  get(key: string, options?: { range?: ByteRange; signal?: AbortSignal }): Promise<OpenBlob>;

  head(key: string): Promise<BlobInfo | undefined>;

  /** Deletes a blob. A missing blob is not an error. */
  delete(key: string): Promise<void>;

  /** Every blob whose key starts with the prefix (any text, `''` for all), in no particular order. */
  list(prefix: string): AsyncGenerator<BlobInfo>;

  /** The path of a blob that is a file on this machine, for programs that read files. Nothing may write to it. */
  localPath?(key: string): string;

  /** Throws if the store is currently unusable. */
  check(): Promise<void>;

  close(): Promise<void>;
}

/** Chunks of bytes, which must not change after they were yielded. */
export type BlobContent = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

export interface StoredBlob {
  size: number;
  /** In hexadecimal. */
  sha256: string;
}

export interface BlobInfo {
  key: string;
  size: number;
  modifiedAt: Date;
}

/** First and last byte, both inclusive. Without `end`, or with one past the content, it extends to the end. */
export interface ByteRange {
  start: number;
  end?: number;
}

export interface OpenBlob {
  /** Size of the whole blob. */
  size: number;
  modifiedAt: Date;
  /** Number of bytes in the body. */
  length: number;
  body: Readable;
}

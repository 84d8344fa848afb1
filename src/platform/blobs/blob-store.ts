import type { Readable } from 'node:stream';

/** Files of any size under keys like `datasets/7/train.jsonl`, on a disk or in an S3 bucket. */
export interface BlobStore {
  /**
   * Stores what the content yields. Until this resolves nothing is seen under the key (or the old content is); once
   * it has, the content survives a crash. A failed or aborted put changes nothing.
   */
  put(key: string, content: BlobContent, options?: { signal?: AbortSignal }): Promise<StoredBlob>;

  /** Opens a blob; throws `NotFound`. The body must be read to its end or destroyed. */
  get(key: string, options?: { range?: ByteRange; signal?: AbortSignal }): Promise<OpenBlob>;

  head(key: string): Promise<BlobInfo | undefined>;

  /** Deletes it; a blob that is not there is as good as deleted. */
  delete(key: string): Promise<void>;

  /** Every blob whose key starts with the prefix (any text, `''` for all), in no particular order. */
  list(prefix: string): AsyncGenerator<BlobInfo>;

  /** Throws where the store can't be used now. */
  check(): Promise<void>;

  close(): Promise<void>;
}

/** Pieces of bytes, which must not change after they were yielded. */
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

/** The first and the last byte, both included; without `end`, to the end. An `end` past the content means its end. */
export interface ByteRange {
  start: number;
  end?: number;
}

export interface OpenBlob {
  /** Of the whole blob. */
  size: number;
  modifiedAt: Date;
  /** How many bytes the body holds. */
  length: number;
  body: Readable;
}

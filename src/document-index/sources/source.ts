import type { SourceDescriptor } from '../../contracts/document-index/sources.ts';

/** A file that a source offers. */
export interface SourceItem {
  /** Identifies it within the source, also when it has changed. */
  id: string;
  /** Changes with its content; null where the source doesn't say. */
  version: string | null;
  name: string;
  url: string;
  size: number | null;
  /** The folders or pages above it, the outermost first. */
  path: string[];
  /** Why it can't be fetched. */
  problem?: string;
}

export interface FetchedFile {
  name: string;
  type: string | null;
  body: AsyncIterable<Uint8Array>;
}

/** Files outside the platform that users name: links, wikis, portals, drives. Failures are problems. */
export interface Sources {
  list(descriptor: SourceDescriptor, options: { signal: AbortSignal }): AsyncGenerator<SourceItem>;
  /** `limit` is the largest number of bytes. The descriptor that listed the item has its credentials. */
  fetch(item: SourceItem, options: { signal: AbortSignal; limit: number }): Promise<FetchedFile>;
}

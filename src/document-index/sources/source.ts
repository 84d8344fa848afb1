import type { SourceDescriptor } from '../../contracts/document-index/sources.ts';

/** A document as a source lists it. Can be stored as JSON. */
export interface SourceItem {
  /** Stable at the source: it stays when the document is renamed. */
  id: string;
  /** Changes with the content; null where the source has no versions. */
  version: string | null;
  name: string;
  /** As the source shows it to people, where the name is made from it. */
  title?: string;
  /** Address of the original, for people. */
  url: string;
  size: number | null;
  /** Names of the folders, spaces or pages above it, from the outermost. */
  path: string[];
  /** Ids of the folders, pages or places that it was listed in, from the outermost. */
  containers?: string[];
  /** It is listed, but forbidden or unsupported, and why. */
  problem?: string;
  /** With `problem`: a container that could not be listed to its end, so what came from it before may still be there. */
  unlisted?: true;
  /** With `problem`: the source says that it is no longer there. */
  gone?: true;
}

export interface FetchedFile {
  name: string;
  /** Media type, as a hint. */
  type: string | null;
  /** Read it to its end, or call its iterator's `return`. */
  body: AsyncIterable<Uint8Array>;
  /** What is not as it should be; the file is indexed all the same. */
  warning?: string;
}

export interface ListOptions {
  signal: AbortSignal;
}

export interface FetchOptions {
  signal: AbortSignal;
  /** Most bytes of the file. */
  limit: number;
}

/** All systems that documents come from. Failures are problems. */
export interface Sources {
  /** What a descriptor leads to. Ids and names are unique in it. Throws where the source as a whole can't be listed. */
  list(descriptor: SourceDescriptor, options: ListOptions): AsyncGenerator<SourceItem>;
  /** Uses the credentials of the descriptor that listed the item; for a copy of an item, name the descriptor. */
  fetch(item: SourceItem, options: FetchOptions & { descriptor?: SourceDescriptor }): Promise<FetchedFile>;
}

/** A system that documents come from. */
export interface Source<Descriptor extends SourceDescriptor = SourceDescriptor> {
  /** Lazy: pages of the listing are requested as they are needed. Throws where the source as a whole can't be listed. */
  list(descriptor: Descriptor, options: ListOptions): AsyncGenerator<SourceItem>;
  fetch(descriptor: Descriptor, item: SourceItem, options: FetchOptions): Promise<FetchedFile>;
}

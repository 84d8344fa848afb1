import type { SourceDescriptor } from '../../contracts/document-index/sources.ts';
import { shownUrl } from '../commands/new-documents.ts';
import type { SourceItem } from '../sources/source.ts';

/** A source of a bot, with what it holds now. */
export interface ListedSource {
  type: string;
  url: string;
  /** As in `source_json` of its documents. */
  json: string;
  /** By id; null if it could not be listed to its end. */
  items: ReadonlyMap<string, SourceItem> | null;
  /** Why it could not be listed. */
  problem: string | null;
}

/**
 * The id of an item within a bot, whose sources may be several systems of a kind. A direct link is known by its
 * address, since its version exists before the source has been asked.
 */
export function sourceId({ type, url }: SourceDescriptor, { id }: Pick<SourceItem, 'id'>): string {
  if (type === 'direct_link') return shownUrl(url);
  const place = type === 'wiki' || type === 'portal' ? `${new URL(url).origin}/` : '';
  return `${type}:${place}${id}`;
}

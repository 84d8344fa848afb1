import type { SourceDescriptor } from '../../contracts/document-index/sources.ts';
import type { SourceItem } from '../sources/source.ts';

/** A source of a bot, with what it holds now. */
export interface ListedSource {
  type: string;
  url: string;
  /** As in `source_json` of its documents. */
  json: string;
  /** What its ids begin with in the bot. */
  prefix: string;
  /** By id; null if it could not be listed to its end. */
  items: ReadonlyMap<string, SourceItem> | null;
  /** Why it could not be listed. */
  problem: string | null;
}

/**
 * The id of an item within a bot, whose sources may be several systems of a kind. Direct links have theirs (`linkIds`)
 * before the source is asked.
 */
export function sourceId(
  { type, url }: SourceDescriptor,
  { id }: Pick<SourceItem, 'id'>,
  links: ReadonlyMap<string, string>,
): string {
  return links.get(url) ?? sourcePrefix({ type, url }) + id;
}

export function sourcePrefix({ type, url }: Pick<SourceDescriptor, 'type' | 'url'>): string {
  const place = type === 'wiki' || type === 'portal' ? `${new URL(url).origin}/` : '';
  return `${type}:${place}`;
}

/** The item with the ids of its containers as they are in the bot. */
export const withContainers = (prefix: string, item: SourceItem): SourceItem => ({
  ...item,
  ...(item.containers && { containers: item.containers.map((id) => prefix + id) }),
});

import { documentName, freeName, nameOfLink } from '../documents/document-name.ts';
import type { SourceItem } from '../sources/source.ts';
import type { StoredDocument } from '../tables.ts';
import type { ListedSource } from './listed-source.ts';

type Claims = ReadonlyMap<string, { item: SourceItem; source: ListedSource }>;

/**
 * The names that items get in the bot, by id. Documents that stay without being listed, such as uploads, keep theirs;
 * an item whose name is taken keeps the numbered name that it got before.
 */
export function nameItems<Document extends Pick<StoredDocument, 'name' | 'source_id'>>(
  claims: Claims,
  active: readonly Document[],
  stays: (document: Document) => boolean,
): Map<string, string> {
  const names = new Map<string, string>();
  const present = new Map(active.map(({ source_id, name }) => [source_id ?? '', name]));
  const taken = new Set(active.filter(stays).map(({ name }) => name));
  const wanted = [...claims].map(([id, claim]) => ({ id, own: ownName(claim), before: present.get(id) }));
  const give = (id: string, name: string) => {
    names.set(id, name);
    taken.add(name);
  };
  for (const { id, own, before } of wanted) if (before === own && !taken.has(own)) give(id, own);
  for (const { id, own, before } of wanted) {
    if (names.has(id)) continue;
    if (!taken.has(own)) give(id, own);
    else if (before !== undefined && isNumbered(before, own) && !taken.has(before)) give(id, before);
    else
      give(
        id,
        freeName(own, (name) => taken.has(name)),
      );
  }
  return names;
}

/** Direct links are named after their address. */
function ownName({ item, source }: { item: SourceItem; source: ListedSource }): string {
  if (source.type === 'direct_link') return nameOfLink(source.url);
  return documentName(item.name) || nameOfLink(item.url);
}

/** Whether one name is the other with a number, as `freeName` gives it. */
const isNumbered = (name: string, own: string) => {
  const [, number] = / \((\d+)\)(?:\.[^.\s]{1,16})?$/u.exec(name) ?? [];
  return number !== undefined && name.replace(` (${number})`, '') === own;
};

import type { SourceItem } from '../sources/source.ts';
import { type KnownDocument, planSync } from '../sources/sync/plan-sync.ts';
import type { StoredDocument } from '../tables.ts';
import type { ListedSource } from './listed-source.ts';
import { nameItems } from './name-items.ts';

/** What a bot has of a document, as far as a sync looks at it. */
export type SyncedDocument = Pick<
  StoredDocument,
  'id' | 'name' | 'state' | 'source_json' | 'source_id' | 'source_version' | 'sha256'
>;

/** An item under the id and name that it has in the bot. */
export interface PlannedItem {
  item: SourceItem;
  source: ListedSource;
  /** Only its name has changed: its file need not be fetched again. */
  renames?: number;
}

export interface BotSync {
  prepare: PlannedItem[];
  /** Versions that the sources no longer have. */
  remove: number[];
  /** Items that stay as they are, by id. */
  keep: Set<string>;
  /** What can't be fetched, and why. */
  problems: PlannedItem[];
}

/** What a sync of a bot does. `documents` are its versions that answer, and the records of failures. */
export function planBotSync(listed: readonly ListedSource[], documents: readonly SyncedDocument[]): BotSync {
  const known = knownDocuments(documents);
  const claims = claimItems(listed);
  const active = documents.filter(({ state }) => state === 'active');
  const names = nameItems(claims, active);
  const sync: BotSync = { prepare: [], remove: [], keep: new Set(), problems: [] };
  for (const source of listed) {
    const own = [...claims].filter(([, claim]) => claim.source === source);
    const items = own.map(([id, { item }]) => ({ ...item, id, name: names.get(id) ?? item.name }));
    const its = known.filter(
      ({ sourceId, json }) => (claims.get(sourceId)?.source.json ?? json) === source.json,
    );
    const plan = planSync(source.items && items, its);
    const isAnswering = ({ id }: KnownDocument) => active.some((document) => document.id === id);
    sync.prepare.push(
      ...[...plan.add, ...plan.update.map(({ item }) => item)].map((item) => ({ item, source })),
      ...plan.rename.map(({ item, document }) => ({
        item,
        source,
        ...(isAnswering(document) && { renames: document.id }),
      })),
    );
    sync.remove.push(...plan.remove.map(({ id }) => id));
    for (const { sourceId } of plan.keep) sync.keep.add(sourceId);
    sync.problems.push(...plan.problems.map((item) => ({ item, source })));
  }
  return sync;
}

/**
 * One document per item: the version that answers, or the record of a file that could not be read. It is not tried
 * again before it changes.
 */
function knownDocuments(documents: readonly SyncedDocument[]): (KnownDocument & { json: string | null })[] {
  const known = new Map<string, KnownDocument & { json: string | null }>();
  const unreadable = documents.filter(({ state, sha256 }) => state === 'error' && sha256 !== null);
  const active = documents.filter(({ state }) => state === 'active');
  for (const { id, name, source_id: sourceId, source_version: version, source_json: json } of [
    ...active,
    ...unreadable,
  ]) {
    if (sourceId === null) continue;
    const present = known.get(sourceId);
    if (present) present.version = version;
    else known.set(sourceId, { id, name, sourceId, version, json });
  }
  return [...known.values()];
}

/** Sources may overlap: each item belongs to the first source that lists it, or that can fetch it. */
export function claimItems(
  listed: readonly ListedSource[],
): Map<string, { item: SourceItem; source: ListedSource }> {
  const claims = new Map<string, { item: SourceItem; source: ListedSource }>();
  for (const source of listed) {
    for (const [id, item] of source.items ?? []) {
      const claim = claims.get(id);
      const isBetter = claim?.item.problem !== undefined && item.problem === undefined;
      if (!claim || isBetter) claims.set(id, { item, source });
    }
  }
  return claims;
}

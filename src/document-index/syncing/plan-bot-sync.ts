import { countOf } from '../../platform/count-of.ts';
import { fromJson, toJson } from '../../platform/database/json-column.ts';
import type { SourceItem } from '../sources/source.ts';
import { type KnownDocument, planSync, underUnlisted } from '../sources/sync/plan-sync.ts';
import type { StoredDocument } from '../tables.ts';
import { type ListedSource, withContainers } from './listed-source.ts';
import { nameItems } from './name-items.ts';

/** What a bot has of a document, as far as a sync looks at it. */
export type SyncedDocument = Pick<
  StoredDocument,
  'id' | 'name' | 'state' | 'source_json' | 'source_id' | 'source_version' | 'containers_json' | 'sha256'
>;

type Known = KnownDocument & { json: string | null };

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
  /** How many stay as they are, by `json` of their source. */
  unchanged: Map<string, number>;
  /** Where documents that stay are now. */
  moved: { id: number; source_json: string; containers_json: string }[];
  /** What can't be fetched, and why. */
  problems: PlannedItem[];
}

/** What a sync of a bot does. `documents` are its versions that answer, and the records of failures. */
export function planBotSync(listed: readonly ListedSource[], documents: readonly SyncedDocument[]): BotSync {
  const known = knownDocuments(documents);
  const claims = claimItems(listed);
  const active = documents.filter(({ state }) => state === 'active');
  const answering = new Set(active.map(({ id }) => id));
  const items = new Map(listed.map((source) => [source.json, claimedBy(source, claims)]));
  const mayBeThere = new Map([...items].map(([json, own]) => [json, underUnlisted(own)]));
  const names = nameItems(claims, active, ({ source_id, source_json, containers_json }) => {
    if (claims.has(source_id ?? '')) return false;
    const isListed = (items.get(source_json ?? '') ?? []).length > 0;
    return (
      !isListed || mayBeThere.get(source_json ?? '')?.({ containers: fromJson(containers_json) }) === true
    );
  });
  const sync: BotSync = {
    prepare: [],
    remove: [],
    keep: new Set(),
    unchanged: new Map(),
    moved: [],
    problems: [],
  };
  for (const source of listed) {
    const own = (items.get(source.json) ?? []).map((item) => ({
      ...item,
      name: names.get(item.id) ?? item.name,
    }));
    const its = known.filter(
      ({ sourceId, json }) => (claims.get(sourceId)?.source.json ?? json) === source.json,
    );
    const plan = planSync(source.items && own, its);
    sync.prepare.push(
      ...[...plan.add, ...plan.update.map(({ item }) => item)].map((item) => ({ item, source })),
      ...plan.rename.map(({ item, document }) => ({
        item,
        source,
        ...(answering.has(document.id) && { renames: document.id }),
      })),
    );
    sync.remove.push(...plan.remove.map(({ id }) => id));
    sync.unchanged.set(source.json, plan.keep.length);
    for (const { sourceId } of plan.keep) sync.keep.add(sourceId);
    sync.moved.push(...movedTo(source.json, plan.keep as Known[], own));
    sync.problems.push(...plan.problems.map((item) => ({ item: explained(item, plan.keep), source })));
  }
  return sync;
}

/** What a source lists and no other has claimed, with its ids in the bot. */
const claimedBy = (source: ListedSource, claims: ReturnType<typeof claimItems>): SourceItem[] =>
  [...claims]
    .filter(([, claim]) => claim.source === source)
    .map(([id, { item }]) => ({ ...withContainers(source.prefix, item), id }));

/** Documents that are the same at another place, by which later syncs must know them. */
function movedTo(json: string, kept: readonly Known[], items: readonly SourceItem[]): BotSync['moved'] {
  const listed = new Map(items.map((item) => [item.id, item]));
  return kept.flatMap((document) => {
    const item = listed.get(document.sourceId);
    if (!item || item.problem !== undefined) return [];
    const place = { source_json: json, containers_json: toJson(item.containers ?? []) };
    const isSame = document.json === json && toJson(document.containers) === place.containers_json;
    return isSame ? [] : [{ id: document.id, ...place }];
  });
}

function explained(item: SourceItem, kept: readonly KnownDocument[]): SourceItem {
  const its = item.unlisted ? kept.filter(underUnlisted([item])).length : 0;
  if (its === 0) return item;
  return { ...item, problem: `${item.problem}; ${countOf(its, 'document')} from there stayed` };
}

/**
 * One document per item: the version that answers, or the record of a file that could not be read. It is not tried
 * again before it changes.
 */
function knownDocuments(documents: readonly SyncedDocument[]): Known[] {
  const known = new Map<string, Known>();
  const unreadable = documents.filter(({ state, sha256 }) => state === 'error' && sha256 !== null);
  const active = documents.filter(({ state }) => state === 'active');
  for (const document of [...active, ...unreadable]) {
    const { id, name, source_id: sourceId, source_version: version, source_json: json } = document;
    if (sourceId === null) continue;
    const present = known.get(sourceId);
    const containers = fromJson<string[]>(document.containers_json);
    if (present) present.version = version;
    else known.set(sourceId, { id, name, sourceId, version, json, containers });
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

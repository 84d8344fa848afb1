import { NotFound } from '../../../contracts/problems.ts';
import {
  checkDimensions,
  checkedPoint,
  checkedQuery,
  checkGroups,
  checkName,
  wrongDimensions,
} from '../checked-points.ts';
import type { CollectionInfo, Hit, Point, VectorStore } from '../vector-store.ts';
import { QdrantClient, type QdrantSettings } from './qdrant-client.ts';
import {
  copyPoints,
  createCollection,
  dimensionsOf,
  dropCollection,
  ensureCollection,
  putPoints,
} from './qdrant-collections.ts';
import { inBatches, inGroups, qdrantPoint } from './qdrant-points.ts';
import { searchQdrant } from './search-qdrant.ts';

/** Milliseconds within which a server that is ready answers. */
const CHECK_LIMIT = 2_000;
const MOST_GROUPS = 1_000_000;

/** Collections on a Qdrant server. */
export function openQdrantVectors(settings: QdrantSettings): VectorStore {
  const client = new QdrantClient(settings);
  const known = new Map<string, number>();
  const ensuring = new Map<string, Promise<void>>();

  /** One at a time per collection: documents of a bot are indexed side by side, and each ensures the collection. */
  const ensureInTurn = async (collection: string, dimensions: number | null): Promise<void> => {
    const before = ensuring.get(collection) ?? Promise.resolve();
    const own = before.catch(() => {}).then(() => ensureCollection(client, collection, dimensions));
    ensuring.set(collection, own);
    try {
      await own;
    } finally {
      if (ensuring.get(collection) === own) ensuring.delete(collection);
    }
  };

  /** Asks the server unless the dimensions were the expected ones before: another process may have changed them. */
  const dimensionsIn = async (collection: string, expected: number): Promise<number | null | undefined> => {
    if (known.get(collection) === expected) return expected;
    const found = await dimensionsOf(client, collection);
    if (found?.dimensions) known.set(collection, found.dimensions);
    return found?.dimensions;
  };
  const missing = (collection: string) => {
    known.delete(collection);
    return new NotFound('collection', collection);
  };

  /** The first vectors of a collection that had none decide on its dimensions. */
  async function checkPoints(collection: string, points: readonly Point[]): Promise<void> {
    const lengths = new Set(
      points.flatMap(({ vector, sentences = [] }) =>
        [...(vector ? [vector] : []), ...sentences].map((each) => each.length),
      ),
    );
    for (const length of lengths) {
      const existing = await dimensionsIn(collection, length);
      if (existing === undefined) throw missing(collection);
      if (existing === null) await ensureInTurn(collection, length);
      else if (existing !== length) throw wrongDimensions(collection, existing, length);
    }
  }

  const store: VectorStore = {
    async ensure(collection, { dimensions }) {
      checkName(collection);
      checkDimensions(dimensions);
      known.delete(collection);
      await ensureInTurn(collection, dimensions);
    },
    async upsert(collection, points) {
      checkName(collection);
      const checked = points.map(checkedPoint);
      await checkPoints(collection, checked);
      if (checked.length === 0 && (await dimensionsOf(client, collection)) === undefined)
        throw missing(collection);
      for (const batch of inBatches(checked))
        if (!(await putPoints(client, collection, batch.map(qdrantPoint)))) throw missing(collection);
    },
    async remove(collection, groups) {
      checkName(collection);
      checkGroups(groups);
      if (groups.length === 0) return 0;
      const filter = { must: [inGroups(groups)] };
      const path = `/collections/${collection}/points`;
      const counted = await client.call('POST', `${path}/count`, { filter, exact: true });
      await client.call('POST', `${path}/delete?wait=true`, { filter });
      return (counted as { count: number } | undefined)?.count ?? 0;
    },
    async search(collection, query, signal) {
      checkName(collection);
      signal?.throwIfAborted();
      const checked = checkedQuery(query);
      const dimensions = checked.vector && (await dimensionsIn(collection, checked.vector.length));
      if (checked.vector && dimensions && dimensions !== checked.vector.length)
        throw wrongDimensions(collection, dimensions, checked.vector.length);
      const vector = dimensions ? checked.vector : undefined;
      let hits: Hit[] | undefined;
      try {
        hits = await searchQdrant(client, collection, { ...checked, vector }, signal);
      } finally {
        if (!hits) known.delete(collection);
      }
      return hits ?? [];
    },
    async count(collection) {
      checkName(collection);
      const body = { key: 'group', limit: MOST_GROUPS, exact: true };
      const result = await client.call('POST', `/collections/${collection}/facet`, body);
      const { hits } = (result ?? { hits: [] }) as { hits: { value: number; count: number }[] };
      return new Map(hits.filter(({ count }) => count > 0).map(({ value, count }) => [value, count]));
    },
    async copy(from, to) {
      checkName(from);
      checkName(to);
      if (from === to) return;
      const found = await dimensionsOf(client, from);
      if (!found) throw missing(from);
      await store.drop(to);
      await createCollection(client, to, found.dimensions);
      await copyPoints(client, from, to);
    },
    async drop(collection) {
      checkName(collection);
      known.delete(collection);
      await dropCollection(client, collection);
    },
    async list() {
      const { collections } = (await client.call('GET', '/collections')) as {
        collections: { name: string }[];
      };
      const list: CollectionInfo[] = [];
      for (const { name } of collections.sort((one, other) => (one.name < other.name ? -1 : 1))) {
        const path = `/collections/${encodeURIComponent(name)}`;
        const found = await dimensionsOf(client, encodeURIComponent(name));
        if (!found?.ours) continue;
        const counted = await client.call('POST', `${path}/points/count`, { exact: true });
        const points = (counted as { count: number } | undefined)?.count ?? 0;
        list.push({ name, dimensions: found.dimensions, points });
      }
      return list;
    },
    async check() {
      await client.call('GET', '/collections', undefined, { timeout: CHECK_LIMIT, attempts: 1 });
    },
    close: () => client.close(),
  };
  return store;
}

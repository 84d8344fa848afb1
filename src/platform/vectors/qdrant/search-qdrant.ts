import type { Hit, PointQuery } from '../vector-store.ts';
import type { QdrantClient } from './qdrant-client.ts';
import { DENSE, filterOf, numbers, queryTerms, SENTENCES, TERMS } from './qdrant-points.ts';

interface ScoredPoint {
  id: number;
  score: number;
  payload?: { group: number };
}

interface Search {
  query: unknown;
  using: string;
  limit: number;
  filter?: unknown;
  params?: unknown;
  with_payload?: string[];
}

/** The server reserves memory for as many results as it is asked for. */
const MOST_RESULTS = 10_000;
/** Candidates that the server looks at in its graph. */
const breadthFor = (limit: number) => Math.max(64, 2 * limit);

/**
 * Finds the best of both sides in one call, and asks for the scores that are missing in a second one. Returns
 * undefined if there is no such collection.
 */
export async function searchQdrant(
  client: QdrantClient,
  collection: string,
  query: PointQuery,
  signal: AbortSignal | undefined,
): Promise<Hit[] | undefined> {
  const batch = async (searches: Search[]): Promise<ScoredPoint[][] | undefined> => {
    if (searches.length === 0) return [];
    const path = `/collections/${collection}/points/query/batch`;
    const result = await client.call('POST', path, { searches }, { signal });
    return (result as { points: ScoredPoint[] }[] | undefined)?.map(({ points }) => points);
  };
  const limit = Math.min(query.limit, MOST_RESULTS);
  const vector = query.vector && numbers(query.vector);
  const terms = query.terms.length > 0 ? queryTerms(query.terms) : undefined;
  const common = { limit, filter: filterOf(query), with_payload: ['group'] };
  const asked: Search[] = [];
  if (vector && limit > 0)
    asked.push({ ...common, query: vector, using: DENSE, params: { hnsw_ef: breadthFor(limit) } });
  if (terms && limit > 0) asked.push({ ...common, query: terms, using: TERMS });
  const best = await batch(asked);
  if (!best) return undefined;
  const byVector = vector ? (best[0] ?? []) : [];
  const byTerms = terms ? (best[asked.length - 1] ?? []) : [];

  const hits = new Map<number, Hit>();
  const hitOf = ({ id, payload }: ScoredPoint): Hit => {
    const hit = hits.get(id) ?? { id, group: payload?.group ?? 0, dense: null, sentence: null, lexical: 0 };
    hits.set(id, hit);
    return hit;
  };
  for (const point of byVector) hitOf(point).dense = point.score;
  for (const point of byTerms) hitOf(point).lexical = point.score;

  const missing: { search: Search; put(hit: Hit, score: number): void }[] = [];
  const ask = (query: unknown, using: string, ids: number[], put: (hit: Hit, score: number) => void) => {
    const filter = { must: [{ has_id: ids }] };
    if (ids.length > 0) missing.push({ search: { query, using, limit: ids.length, filter }, put });
  };
  const all = [...hits.keys()];
  if (vector) {
    const withoutDense = all.filter((id) => hits.get(id)?.dense === null);
    ask(vector, DENSE, withoutDense, (hit, score) => {
      hit.dense = score;
    });
    ask([vector], SENTENCES, all, (hit, score) => {
      hit.sentence = score;
    });
  }
  if (terms) {
    const withoutLexical = all.filter((id) => hits.get(id)?.lexical === 0);
    ask(terms, TERMS, withoutLexical, (hit, score) => {
      hit.lexical = score;
    });
  }
  const scores = (await batch(missing.map(({ search }) => search))) ?? [];
  for (const [index, { put }] of missing.entries())
    for (const { id, score } of scores[index] ?? []) {
      const hit = hits.get(id);
      if (hit) put(hit, score);
    }
  return [...hits.values()];
}

import { occurrenceWeight } from '../bm25.ts';
import type { Point, PointQuery, TermCounts } from '../vector-store.ts';

/** Names of the vectors of a point. */
export const DENSE = 'dense';
export const SENTENCES = 'sentences';
export const TERMS = 'terms';

/**
 * Qdrant knows how many points contain a term, but not how long they are. The weight of the occurrences is computed
 * here, so it can't depend on the average length, which changes with every point.
 */
const ASSUMED_AVERAGE_LENGTH = 100;

export interface QdrantPoint {
  id: number;
  payload: Record<string, unknown>;
  vector: Record<string, unknown>;
}

export function qdrantPoint({ id, group, vector, sentences, terms, payload }: Point): QdrantPoint {
  return {
    id,
    payload: { ...payload, group },
    vector: {
      [TERMS]: sparseVector(terms),
      ...(vector ? { [DENSE]: numbers(vector) } : {}),
      ...(vector && sentences?.length ? { [SENTENCES]: multiVector(sentences) } : {}),
    },
  };
}

/** Eight decimals are as exact as 32-bit floats here, and half as long as what JSON would write. */
export const numbers = (vector: Float32Array) => Array.from(vector, (value) => Math.round(value * 1e8) / 1e8);

export const queryTerms = (terms: Uint32Array) => ({
  indices: [...terms],
  values: new Array<number>(terms.length).fill(1),
});

export function collectionConfig(dimensions: number | null): Record<string, unknown> {
  return {
    vectors:
      dimensions === null
        ? {}
        : {
            [DENSE]: { size: dimensions, distance: 'Cosine' },
            // Only scored for points that are known already, so without an index.
            [SENTENCES]: {
              size: dimensions,
              distance: 'Cosine',
              multivector_config: { comparator: 'max_sim' },
              hnsw_config: { m: 0 },
              datatype: 'float16',
              on_disk: true,
            },
          },
    sparse_vectors: { [TERMS]: { modifier: 'idf' } },
  };
}

/** The points that may be found; undefined where all may. */
export function filterOf({ hidden, groups }: Pick<PointQuery, 'hidden' | 'groups'>) {
  if (!groups && !hidden?.length) return undefined;
  return {
    ...(groups ? { must: [inGroups(groups)] } : {}),
    ...(hidden?.length ? { must_not: [inGroups(hidden)] } : {}),
  };
}

export const inGroups = (groups: readonly number[]) => ({ key: 'group', match: { any: groups } });

function sparseVector({ terms, counts }: TermCounts) {
  let length = 0;
  for (const count of counts) length += count;
  return {
    indices: [...terms],
    values: Array.from(counts, (count) => occurrenceWeight(count, length, ASSUMED_AVERAGE_LENGTH)),
  };
}

/**
 * Qdrant 1.16 reads a list of exactly two vectors as the indices and values of a sparse vector if the first has only
 * whole numbers. Repeating one doesn't change the best score.
 */
function multiVector(sentences: readonly Float32Array[]): number[][] {
  const list = sentences.map(numbers);
  return list.length === 2 ? [...list, list[1] as number[]] : list;
}

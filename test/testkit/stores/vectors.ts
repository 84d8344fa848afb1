import type { Point, TermCounts } from '../../../src/platform/vectors/vector-store.ts';
import type { Random } from '../random.ts';

export function randomVector(random: Random, dimensions: number): Float32Array {
  const vector = Float32Array.from({ length: dimensions }, () => random.share() - 0.5);
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

/** Terms from a vocabulary in which some are far more frequent than others. */
export function randomTerms(random: Random, vocabulary: number, length: number): TermCounts {
  const counts = new Map<number, number>();
  for (let index = 0; index < length; index++) {
    const rank = Math.floor(vocabulary ** random.share());
    const term = Math.imul(rank, 0x9e3779b1) >>> 0;
    counts.set(term, (counts.get(term) ?? 0) + 1);
  }
  return termCounts(counts);
}

export function termCounts(counts: ReadonlyMap<number, number>): TermCounts {
  const terms = Uint32Array.from(counts.keys()).sort();
  return { terms, counts: Uint16Array.from(terms, (term) => counts.get(term) ?? 0) };
}

export const terms = (...list: number[]): TermCounts => termCounts(new Map(list.map((term) => [term, 1])));

export function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < one.length; index++) sum += (one[index] ?? 0) * (other[index] ?? 0);
  return sum;
}

/** BM25 by its definition, of every point. */
export function plainBm25(
  points: readonly Point[],
  query: Uint32Array,
  averageLength: number,
): Map<number, number> {
  const scores = new Map(points.map(({ id }) => [id, 0]));
  for (const term of query) {
    const containing = points.filter(({ terms }) => terms.terms.includes(term));
    const idf = Math.log(1 + (points.length - containing.length + 0.5) / (containing.length + 0.5));
    for (const { id, terms } of containing) {
      const count = terms.counts[terms.terms.indexOf(term)] ?? 0;
      const norm = 1 - 0.4 + (0.4 * lengthOf(terms)) / averageLength;
      scores.set(id, (scores.get(id) ?? 0) + (idf * count * 1.9) / (count + 0.9 * norm));
    }
  }
  return scores;
}

export function averageLength(points: readonly Point[]): number {
  return points.reduce((sum, { terms }) => sum + lengthOf(terms), 0) / points.length;
}

const lengthOf = ({ counts }: TermCounts) => counts.reduce((sum, count) => sum + count, 0);

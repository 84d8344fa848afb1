import { occurrenceWeight, termWeight } from '../bm25.ts';
import { wrongDimensions } from '../checked-points.ts';
import type { Hit, PointQuery } from '../vector-store.ts';
import { bestSentence, cosine } from './file/point-rows.ts';
import type { PointsStore } from './file/points-store.ts';
import { Best } from './memory/best.ts';
import type { PointIndex } from './memory/point-index.ts';
import { countOf, slotOf } from './memory/postings.ts';

/** How many candidates are compared by their exact vectors, as the 8-bit codes may order close ones differently. */
const candidatesFor = (limit: number) => 2 * limit + 64;

export function searchPoints(index: PointIndex, store: PointsStore, query: PointQuery): Hit[] {
  const limit = Math.min(query.limit, index.points);
  if (limit === 0) return [];
  const allowed = index.filter(query.hidden, query.groups);
  const lexical = lexicalScores(index, query.terms);
  const dense = query.vector ? bestByVector(index, store, query.vector, limit, allowed) : new Map();
  const slots = new Set<number>(dense.keys());
  for (const slot of bestByTerms(lexical, limit, allowed)) slots.add(slot);
  return [...slots].map((slot) => {
    const id = index.idOf(slot);
    return {
      id,
      group: index.groupOf(slot),
      dense: dense.get(slot) ?? (query.vector ? exactScore(store, id, query.vector) : null),
      sentence: query.vector ? sentenceScore(store, id, query.vector) : null,
      lexical: lexical[slot] as number,
    };
  });
}

export function checkQueryDimensions(collection: string, store: PointsStore, query: PointQuery): void {
  const { dimensions } = store.state();
  if (query.vector && dimensions !== null && query.vector.length !== dimensions)
    throw wrongDimensions(collection, dimensions, query.vector.length);
}

/** The exact scores of the best points, by slot, in descending order. */
function bestByVector(
  index: PointIndex,
  store: PointsStore,
  vector: Float32Array,
  limit: number,
  allowed: (slot: number) => boolean,
): Map<number, number> {
  const candidates = new Best(candidatesFor(limit));
  index.dense?.scan(vector, index.slots, (slot, score) => {
    if (allowed(slot)) candidates.offer(slot, score);
  });
  const exact = candidates.take().flatMap(({ slot }) => {
    const score = exactScore(store, index.idOf(slot), vector);
    return score === null ? [] : [[slot, score] as const];
  });
  exact.sort(([slot, score], [otherSlot, other]) => other - score || slot - otherSlot);
  return new Map(exact.slice(0, limit));
}

function exactScore(store: PointsStore, id: number, vector: Float32Array): number | null {
  const stored = store.vector(id);
  return stored ? cosine(vector, stored) : null;
}

function sentenceScore(store: PointsStore, id: number, vector: Float32Array): number | null {
  const stored = store.sentences(id);
  return stored ? bestSentence(vector, stored) : null;
}

/** BM25 by slot. */
function lexicalScores(index: PointIndex, terms: Uint32Array): Float32Array {
  const scores = new Float32Array(index.slots);
  const { lengths, averageLength } = index;
  for (const term of terms) {
    const containing = index.containing(term);
    if (containing === 0) continue;
    const weight = termWeight(index.points, containing);
    index.postings.eachSlice(term, (words, start, end) => {
      for (let position = start; position < end; position++) {
        const posting = words[position] as number;
        const slot = slotOf(posting);
        const occurrences = occurrenceWeight(countOf(posting), lengths[slot] as number, averageLength);
        scores[slot] = (scores[slot] as number) + weight * occurrences;
      }
    });
  }
  return scores;
}

function bestByTerms(scores: Float32Array, limit: number, allowed: (slot: number) => boolean): number[] {
  const best = new Best(limit);
  for (let slot = 0; slot < scores.length; slot++) {
    const score = scores[slot] as number;
    if (score > 0 && allowed(slot)) best.offer(slot, score);
  }
  return best.take().map(({ slot }) => slot);
}

import type { SimilarityScale } from '../similarity/scale-model.ts';
import { positionOnScale } from '../similarity/scale-model.ts';
import type { Coverage } from './term-coverage.ts';

/** What is known of a candidate for one formulation of a question. */
export interface Candidate {
  /** Null where the search by this formulation did not find it. */
  hit: { dense: number | null; sentence: number | null; lexical: number } | null;
  coverage: Coverage;
  /** Of the model for the languages of the question and the candidate; null if it is not known. */
  scale: SimilarityScale | null;
}

/** Shares of the parts of a score; together 1. */
export interface RankingWeights {
  lexical: number;
  dense: number;
  sentence: number;
  coverage: number;
  sentenceCoverage: number;
  window: number;
}

/**
 * Scores of candidates, 0 to 1, in their order: BM25, the two similarities and the three coverages, weighted. The lexical
 * scale is lowered if even the best candidate has few of the question's words: a single common word is no evidence.
 */
export function rankCandidates(candidates: readonly Candidate[], weights: RankingWeights): number[] {
  const parts = candidateParts(candidates);
  return parts.map(
    (part) =>
      weights.lexical * part.lexical +
      weights.dense * part.dense +
      weights.sentence * part.sentence +
      weights.coverage * part.coverage +
      weights.sentenceCoverage * part.sentenceCoverage +
      weights.window * part.window,
  );
}

/** The parts of each score, each 0 to 1. */
export function candidateParts(candidates: readonly Candidate[]): RankingWeights[] {
  const highest = Math.max(0, ...candidates.map(({ hit }) => hit?.lexical ?? 0));
  const covered = Math.max(0, ...candidates.map(({ coverage }) => coverage.text));
  const dense = similarities(candidates, ({ hit }) => hit?.dense ?? null);
  const sentence = similarities(candidates, ({ hit }) => hit?.sentence ?? hit?.dense ?? null);
  return candidates.map(({ hit, coverage }, at) => ({
    lexical: highest === 0 ? 0 : ((hit?.lexical ?? 0) / highest) * covered,
    dense: dense[at] ?? 0,
    sentence: sentence[at] ?? 0,
    coverage: coverage.text,
    sentenceCoverage: coverage.sentence,
    window: coverage.window,
  }));
}

/**
 * 1 for the closest candidate. The others lose what they are further away on the model's scale: a small lead counts
 * little even if all candidates are alike. Without a scale, the furthest gets 0.
 */
function similarities(
  candidates: readonly Candidate[],
  cosineOf: (candidate: Candidate) => number | null,
): number[] {
  const cosines = candidates.map(cosineOf);
  const placed = candidates.map(({ scale }, at) => {
    const cosine = cosines[at] ?? null;
    return cosine === null || scale === null ? null : positionOnScale(cosine, scale);
  });
  if (placed.some((place, at) => place === null && cosines[at] !== null)) return scaled(cosines);
  const best = Math.max(...placed.filter((place) => place !== null));
  return placed.map((place) => (place === null ? 0 : Math.max(0, 1 - (best - place))));
}

function scaled(scores: readonly (number | null)[]): number[] {
  const known = scores.filter((score) => score !== null);
  const lowest = Math.min(...known);
  const width = Math.max(...known) - lowest;
  return scores.map((score) => (score === null ? 0 : width > 0 ? (score - lowest) / width : 1));
}

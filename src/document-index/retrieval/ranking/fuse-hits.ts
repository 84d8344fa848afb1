import type { Hit } from '../../../platform/vectors/vector-store.ts';

/** Shares of the sides in the sum. */
export interface FusionWeights {
  lexical: number;
  dense: number;
  sentence: number;
}

/**
 * Adds up the scores of both sides, each scaled to 0..1 over the hits that the side knows. A hit without a matching term
 * gets nothing from the lexical side and does not lower its scale; a hit without a vector likewise.
 */
export function fuseHits(hits: readonly Hit[], weights: FusionWeights): { hit: Hit; score: number }[] {
  const lexical = scaled(hits, ({ lexical }) => (lexical > 0 ? lexical : null));
  const dense = scaled(hits, ({ dense }) => dense);
  const sentence = scaled(hits, ({ sentence, dense }) => sentence ?? dense);
  return hits
    .map((hit) => ({
      hit,
      score: weights.lexical * lexical(hit) + weights.dense * dense(hit) + weights.sentence * sentence(hit),
    }))
    .sort((a, b) => b.score - a.score || a.hit.id - b.hit.id);
}

function scaled(hits: readonly Hit[], scoreOf: (hit: Hit) => number | null): (hit: Hit) => number {
  let lowest = Number.POSITIVE_INFINITY;
  let highest = Number.NEGATIVE_INFINITY;
  for (const hit of hits) {
    const score = scoreOf(hit);
    if (score === null) continue;
    lowest = Math.min(lowest, score);
    highest = Math.max(highest, score);
  }
  return (hit) => {
    const score = scoreOf(hit);
    if (score === null) return 0;
    return highest > lowest ? (score - lowest) / (highest - lowest) : 1;
  };
}

import type { RankingWeights } from '../../src/document-index/retrieval/ranking/rank-candidates.ts';

/** One question: the features of its candidates, and which of them answer it. */
export interface RankingExample {
  features: number[][];
  relevant: boolean[];
}

/**
 * Weights, none negative, under which the passages that answer get the largest share of a softmax over all candidates.
 * Batch gradient descent: the problem is convex and has six weights.
 */
export function fitRanking(examples: readonly RankingExample[], size: number): number[] {
  const usable = examples.filter(({ relevant }) => relevant.includes(true));
  let weights = new Array<number>(size).fill(3);
  for (let step = 0; step < 150; step++) {
    const gradient = new Array<number>(size).fill(0);
    for (const { features, relevant } of usable) {
      const scores = features.map((row) => dot(row, weights));
      const highest = Math.max(...scores);
      const shares = normalised(scores.map((score) => Math.exp(score - highest)));
      const wanted = normalised(shares.map((share, at) => (relevant[at] ? share : 0)));
      for (const [at, row] of features.entries()) {
        const difference = (wanted[at] ?? 0) - (shares[at] ?? 0);
        for (let column = 0; column < size; column++) {
          gradient[column] = (gradient[column] ?? 0) + difference * (row[column] ?? 0);
        }
      }
    }
    weights = weights.map((weight, at) =>
      Math.max(0, weight + 10 * ((gradient[at] ?? 0) / usable.length - 0.002 * weight)),
    );
  }
  return weights;
}

export interface Judged {
  features: number[];
  isAnswerable: boolean;
}

/** Logistic regression with a small penalty; the first coefficient is the bias. */
export function fitLogistic(examples: readonly Judged[]): number[] {
  const size = (examples[0]?.features.length ?? 0) + 1;
  let weights = new Array<number>(size).fill(0);
  for (let step = 0; step < 1_500; step++) {
    const gradient = new Array<number>(size).fill(0);
    for (const { features, isAnswerable } of examples) {
      const row = [1, ...features];
      const difference = (isAnswerable ? 1 : 0) - 1 / (1 + Math.exp(-dot(row, weights)));
      for (let at = 0; at < size; at++) gradient[at] = (gradient[at] ?? 0) + difference * (row[at] ?? 0);
    }
    weights = weights.map((weight, at) => {
      const changed = weight + 4 * ((gradient[at] ?? 0) / examples.length - (at === 0 ? 0 : 0.0005 * weight));
      // Evidence can't speak against an answer.
      return at === 0 ? changed : Math.max(0, changed);
    });
  }
  return weights;
}

export const featureNames = [
  'lexical',
  'dense',
  'sentence',
  'coverage',
  'sentenceCoverage',
  'window',
] as const;

export const featuresOf = (parts: RankingWeights): number[] => featureNames.map((name) => parts[name]);

export const dot = (one: readonly number[], other: readonly number[]): number =>
  one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);

function normalised(values: readonly number[]): number[] {
  const total = values.reduce((sum, value) => sum + value, 0);
  return values.map((value) => value / total);
}

import { containsAnswer } from './normalise-answer.ts';
import type { EvaluationQuestion } from './read-questions.ts';

interface RankedPassage {
  document: string;
  page: number | null;
  /** Passages may continue on the next pages. */
  last_page?: number | null | undefined;
  text: string;
}

/**
 * For each thing that should be found, the rank of the first passage that has it, from 1; undefined if none does.
 * Undefined as a whole where the question does not say what should be found.
 */
export function ranksOf(
  { document, page, answer, spans }: EvaluationQuestion,
  passages: readonly RankedPassage[],
): (number | undefined)[] | undefined {
  if (answer === null) return undefined;
  const texts = spans ?? (answer === undefined ? [] : [answer]);
  if (texts.length === 0 && document === undefined) return undefined;
  const isPlace = (passage: RankedPassage) =>
    (document === undefined || passage.document === document) &&
    (page === undefined ||
      passage.page === null ||
      (passage.page <= page && page <= (passage.last_page ?? passage.page)));
  const rankOf = (has: (passage: RankedPassage) => boolean) => {
    const at = passages.findIndex((passage) => isPlace(passage) && has(passage));
    return at < 0 ? undefined : at + 1;
  };
  if (texts.length === 0) return [rankOf(() => true)];
  return texts.map((text) => rankOf((passage) => containsAnswer(passage.text, text)));
}

/** The share of what should be found that is among the first `k` passages. */
export function recallAt(ranks: readonly (number | undefined)[], k: number): number {
  return ranks.filter((rank) => rank !== undefined && rank <= k).length / ranks.length;
}

/** nDCG@10: each find counts once, the less the lower its passage stands. 1 if the first passage has everything. */
export function ndcgAt10(ranks: readonly (number | undefined)[]): number {
  const gains = ranks.map((rank) => (rank === undefined || rank > 10 ? 0 : 1 / Math.log2(rank + 1)));
  return gains.reduce((sum, gain) => sum + gain, 0) / ranks.length;
}

import type { Measures } from './measures.ts';
import type { EvaluationRow } from './rows.ts';

/** On documents that the weights were not fitted on, and on all. */
type SplitMeasures = Measures & { all: Measures };

export interface RowFigures {
  questions: number;
  passages: number;
  bm25: SplitMeasures;
  dense: SplitMeasures;
  /** BM25 and vectors, half and half. */
  fused: SplitMeasures;
  /** The same with the best sentence's similarity. */
  sentences: SplitMeasures;
  searchBot: SplitMeasures;
  /** `searchBot` with the cross-encoder of the catalog. */
  reranked: SplitMeasures | null;
  answered: number;
  refused: number;
}

interface Goal {
  goal: string;
  isMet: boolean;
}

/** The goals of a row. English is held to them with the model that the platform starts with. */
export function goals({ name, model }: EvaluationRow, figures: RowFigures): Goal[] {
  const { searchBot, bm25, dense, answered, refused } = figures;
  const atLeast = (what: string, value: number, wanted: number): Goal => ({
    goal: `${what} ≥ ${wanted} (${value.toFixed(3)})`,
    isMet: value >= wanted,
  });
  const ahead: Goal = {
    goal: 'above BM25 alone and above vectors alone',
    isMet:
      searchBot.first > Math.max(bm25.first, dense.first) && searchBot.ndcg > Math.max(bm25.ndcg, dense.ndcg),
  };
  const judged = [
    atLeast('unanswerable refused', refused, 0.85),
    atLeast('answerable answered', answered, 0.95),
  ];
  if (name === 'English') {
    const best = [atLeast('nDCG@10', searchBot.ndcg, 0.955), atLeast('R@1', searchBot.first, 0.9)];
    return model === 'universal-sentence-encoder-multilingual'
      ? [ahead, ...judged]
      : [ahead, ...best, ...judged];
  }
  if (name === 'Russian') {
    return [
      ahead,
      atLeast('nDCG@10', searchBot.ndcg, 0.965),
      atLeast('R@1', searchBot.first, 0.935),
      ...judged,
    ];
  }
  if (name === 'Russian → English') return [ahead, atLeast('R@1', searchBot.first, 0.78)];
  return [];
}

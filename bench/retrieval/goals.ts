import type { Measures } from './measures.ts';
import type { EvaluationRow } from './rows.ts';

/** With weights from the other half of the documents each: together, and per half. */
export interface Split<Figure> {
  all: Figure;
  halves: Figure[];
}

export interface RowFigures {
  questions: number;
  passages: number;
  bm25: Split<Measures>;
  dense: Split<Measures>;
  /** BM25 and vectors, half and half. */
  fused: Split<Measures>;
  /** The same with the best sentence's similarity. */
  sentences: Split<Measures>;
  searchBot: Split<Measures>;
  /** A part of the questions without and with the cross-encoder of the catalog. */
  sampled: Split<Measures> | null;
  reranked: Split<Measures> | null;
  answered: Split<number>;
  refused: Split<number>;
}

interface Goal {
  goal: string;
  isMet: boolean;
}

/** The goals of a row. English is held to them with the model that the platform starts with. */
export function goals({ name, model }: EvaluationRow, figures: RowFigures): Goal[] {
  const { answered, refused } = figures;
  const [searchBot, bm25, dense] = [figures.searchBot.all, figures.bm25.all, figures.dense.all];
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
    atLeast('unanswerable refused', refused.all, 0.85),
    atLeast('answerable answered', answered.all, 0.95),
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
  if (name === 'Russian → English') return [ahead, atLeast('R@1', searchBot.first, 0.78), ...judged];
  return [];
}

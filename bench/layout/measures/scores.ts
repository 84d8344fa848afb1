/** Counts from which precision, recall and F1 follow. They can be added up over documents. */
export interface Score {
  found: number;
  expected: number;
  correct: number;
}

export const noScore: Score = { found: 0, expected: 0, correct: 0 };

export const add = (a: Score, b: Score): Score => ({
  found: a.found + b.found,
  expected: a.expected + b.expected,
  correct: a.correct + b.correct,
});

/** Undefined if there was nothing to find and nothing was found. */
export const f1 = ({ found, expected, correct }: Score): number | undefined =>
  found + expected === 0 ? undefined : (2 * correct) / (found + expected);

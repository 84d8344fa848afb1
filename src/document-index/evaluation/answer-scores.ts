import { answerWords } from './normalise-answer.ts';

/** Token F1 as in SQuAD: words in common, weighed against the words of both. */
export function answerF1(given: string, right: string): number {
  const [mine, theirs] = [answerWords(given), answerWords(right)];
  if (mine.length === 0 || theirs.length === 0) return mine.length === theirs.length ? 1 : 0;
  const common = inCommon(mine, theirs);
  if (common === 0) return 0;
  const [precision, recall] = [common / mine.length, common / theirs.length];
  return (2 * precision * recall) / (precision + recall);
}

/** The share of the right answer's words that an answer has. Unlike F1, whole sentences are not marked down. */
export function answerRecall(given: string, right: string): number {
  const theirs = answerWords(right);
  return theirs.length === 0 ? 1 : inCommon(answerWords(given), theirs) / theirs.length;
}

function inCommon(one: readonly string[], other: readonly string[]): number {
  const left = new Map<string, number>();
  for (const word of other) left.set(word, (left.get(word) ?? 0) + 1);
  let common = 0;
  for (const word of one) {
    const count = left.get(word) ?? 0;
    if (count === 0) continue;
    left.set(word, count - 1);
    common++;
  }
  return common;
}

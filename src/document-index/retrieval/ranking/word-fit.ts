import type { QuestionWord } from '../../analysis/terms.ts';

/** How well a text in another language fits a question: means over its words, whether rare or common; 0 to 1. */
export interface WordFit {
  text: number;
  /** Of the sentence that covers the question best. */
  sentence: number;
  /** Of the names in the question, by the whole text; 1 without names. */
  names: number;
}

/** A translation below the first is chance: among hundreds of words, one is always a little similar. */
const [chance, sure] = [0.4, 0.8];

/** By the credits of the words in a text and in its best sentence. */
export function fitWords(
  words: readonly Pick<QuestionWord, 'isName'>[],
  { text, sentence }: { text: ArrayLike<number>; sentence: ArrayLike<number> },
): WordFit {
  const all = [...words.keys()];
  const names = all.filter((word) => words[word]?.isName);
  return {
    text: meanOf(text, all) ?? 0,
    sentence: meanOf(sentence, all) ?? 0,
    names: meanOf(text, names) ?? 1,
  };
}

function meanOf(credits: ArrayLike<number>, words: readonly number[]): number | null {
  if (words.length === 0) return null;
  const certainty = (credit: number) => Math.min(1, Math.max(0, (credit - chance) / (sure - chance)));
  return words.reduce((sum, word) => sum + certainty(credits[word] ?? 0), 0) / words.length;
}

import { termSequence } from '../analysis/terms.ts';

export interface Coverage {
  /** Share of the question's words that the text has, by weight: 0 to 1. */
  text: number;
  /** The same for its best sentence. */
  sentence: number;
}

export interface CoverageText {
  /** Title and headings. They count for the whole text, not for a sentence. */
  context: string;
  text: string;
}

/** Thousands of characters are read per search, so this is a simpler rule than that of ingestion. */
const sentenceEnd = /(?<=[.!?…]["»”)]?)\s+|\n+/u;
/** Of a few texts, all may contain the words that matter. They must not lose their weight for that. */
const fewestTexts = 30;

/**
 * How much of a question stands in each of some texts. A word counts by its rarity among them: what all of them contain
 * does not tell them apart, and what none contains is probably what the question is about.
 */
export function coverWords(words: readonly number[][], texts: readonly CoverageText[]): Coverage[] {
  const found = texts.map(({ context, text }) => {
    const parts = text.split(sentenceEnd).map((sentence) => new Set(termSequence(sentence)));
    const whole = new Set(termSequence(context));
    for (const part of parts) for (const term of part) whole.add(term);
    return { whole, parts };
  });
  const size = Math.max(texts.length, fewestTexts);
  const has = (known: ReadonlySet<number>, terms: readonly number[]) => terms.some((term) => known.has(term));
  const weights = words.map((terms) => {
    const containing = found.filter(({ whole }) => has(whole, terms)).length;
    return Math.log(1 + (size - containing + 0.5) / (containing + 0.5));
  });
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const share = (known: ReadonlySet<number>) =>
    total === 0
      ? 0
      : words.reduce((sum, terms, at) => sum + (has(known, terms) ? (weights[at] ?? 0) : 0), 0) / total;
  return found.map(({ whole, parts }) => ({
    text: share(whole),
    sentence: parts.reduce((best, part) => Math.max(best, share(part)), 0),
  }));
}

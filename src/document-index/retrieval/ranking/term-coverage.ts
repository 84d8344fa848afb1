import { type QuestionWord, textWords } from '../../analysis/terms.ts';
import type { Translations } from '../similarity/translate-words.ts';
import { fitWords, type WordFit } from './word-fit.ts';

/** Shares of the question's words by weight: 0 to 1. */
export interface Coverage {
  /** What the text and its context contain. */
  text: number;
  /** What its best sentence contains, together with the context. */
  sentence: number;
  /** What stands closest together, regardless of sentences. */
  window: number;
  /** Only where words were translated. */
  fit?: WordFit | null;
}

export interface CoverageText {
  /** Title and headings. */
  context: string;
  text: string;
}

/** Thousands of characters are read per search, so this is a simpler rule than that of ingestion. */
const sentenceEnd = /(?<=[.!?…]["»”)]?)\s+|\n+/u;
/** Of a few texts, all may contain the words that matter. They must not lose their weight for that. */
const fewestTexts = 30;
/** How much a word with the same beginning counts. */
const looseCredit = 0.6;
/** In words that are no stop words: about two lines of text. */
const windowLength = 12;

/** A word of the question at a place of a text. */
interface Match {
  place: number;
  word: number;
  credit: number;
}

/**
 * How much of a question stands in each of some texts. A word counts by its rarity among them: what all of them contain
 * does not tell them apart, and what none contains is probably what the question is about.
 */
export function coverWords(
  words: readonly QuestionWord[],
  texts: readonly CoverageText[],
  translations: Translations | null = null,
): Coverage[] {
  const matchesIn = matcher(words, translations);
  const found = texts.map(({ context, text }) => {
    const title = credits(words.length, matchesIn(context, 0).matches);
    const sentences: Match[][] = [];
    let place = 0;
    for (const sentence of text.split(sentenceEnd)) {
      const { matches, end } = matchesIn(sentence, place);
      place = end;
      if (matches.length > 0) sentences.push(matches);
    }
    const all = sentences.flat();
    return { title, sentences, all, whole: credits(words.length, all, title) };
  });
  // Copies of one text must not make its words common.
  const distinct = [...new Map(texts.map(({ text }, at) => [text, found[at]])).values()];
  const size = Math.max(distinct.length, fewestTexts);
  const weights = words.map((_, word) => {
    const containing = distinct.reduce((sum, one) => sum + (one?.whole[word] ?? 0), 0);
    return Math.log(1 + (size - containing + 0.5) / (containing + 0.5));
  });
  const total = weights.reduce((sum, weight) => sum + weight, 0) || 1;
  const share = (known: ArrayLike<number>) =>
    weights.reduce((sum, weight, word) => sum + weight * (known[word] ?? 0), 0) / total;
  return found.map(({ title, sentences, all, whole }) => {
    let sentence = new Float64Array(words.length) as Float64Array;
    let covered = 0;
    for (const matches of sentences) {
      const known = credits(words.length, matches, title);
      const part = share(known);
      if (part <= covered) continue;
      sentence = known;
      covered = part;
    }
    return {
      text: share(whole),
      sentence: covered,
      window: densest(all, words.length, share),
      ...(translations && { fit: fitWords(words, { text: whole, sentence }) }),
    };
  });
}

/** Finds the words of a question in texts. */
function matcher(words: readonly QuestionWord[], translations: Translations | null) {
  const exact = new Map<number, number>();
  const loose = new Map<number, number>();
  const translated = new Map<number, { word: number; credit: number }[]>();
  for (const [word, { terms, loose: beginning }] of words.entries()) {
    for (const term of terms) if (!exact.has(term)) exact.set(term, word);
    if (beginning !== null && !loose.has(beginning)) loose.set(beginning, word);
    for (const [term, credit] of translations?.get(terms[0] ?? 0) ?? []) {
      const known = translated.get(term);
      if (known) known.push({ word, credit });
      else translated.set(term, [{ word, credit }]);
    }
  }
  return (text: string, start: number): { matches: Match[]; end: number } => {
    const matches: Match[] = [];
    let place = start;
    for (const { terms, loose: beginnings } of textWords(text)) {
      for (const term of terms) {
        const word = exact.get(term);
        if (word !== undefined) matches.push({ place, word, credit: 1 });
        for (const match of translated.get(term) ?? []) matches.push({ place, ...match });
      }
      for (const beginning of beginnings) {
        const word = loose.get(beginning);
        if (word !== undefined) matches.push({ place, word, credit: looseCredit });
      }
      place++;
    }
    return { matches, end: place };
  };
}

/** The highest credit of each word. */
function credits(size: number, matches: readonly Match[], from?: Float64Array): Float64Array {
  const highest = from ? from.slice() : new Float64Array(size);
  for (const { word, credit } of matches) if (credit > (highest[word] ?? 0)) highest[word] = credit;
  return highest;
}

/** The highest share within a window. One that starts after a match can't contain more than one that starts at it. */
function densest(matches: readonly Match[], size: number, share: (known: Float64Array) => number): number {
  let best = 0;
  for (const [from, { place }] of matches.entries()) {
    if (from > 0 && matches[from - 1]?.place === place) continue;
    let to = from;
    while (to < matches.length && (matches[to]?.place ?? 0) - place < windowLength) to++;
    best = Math.max(best, share(credits(size, matches.slice(from, to))));
  }
  return best;
}

import type { TermCounts } from '../../platform/vectors/vector-store.ts';
import { hashTerm } from './hash-term.ts';
import { crossScriptTerm, nameTerm } from './name-terms.ts';
import { joinedWords, wordTerms } from './word-terms.ts';

const highestCount = 65_535;
const longestCachedWord = 40;
const cacheSize = 50_000;
/** In `12 000`. An ordinary space may as well separate two numbers, such as the cells of a table. */
const groupSpace = /(?<=\d)[\u00a0\u2009\u202f](?=\d{3}(?!\d))/g;
const plainWord = /^\p{L}{2,}$/u;
const capitalised = /^\p{Lu}\p{Ll}{2,}$/u;
const none = new Uint32Array();

interface WordHashes {
  terms: Uint32Array;
  /** One per stem that is long enough. They are not in the index. */
  loose: Uint32Array;
}

/** Terms by word: most of the time goes into stems, and a few thousand words make up most of any text. */
let cache = new Map<string, WordHashes>();

/** How often each term occurs in a text. */
export function termsOf(text: string): TermCounts {
  const counts = new Map<number, number>();
  for (const word of wordsOf(text)) {
    for (const term of hashesOf(word).terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  }
  const terms = Uint32Array.from(counts.keys()).sort();
  return { terms, counts: Uint16Array.from(terms, (term) => Math.min(highestCount, counts.get(term) ?? 0)) };
}

/** The terms of a question, without duplicates. */
export function queryTerms(question: string): Uint32Array {
  return Uint32Array.from(new Set(questionWords(question).flatMap(({ terms }) => terms))).sort();
}

export interface QuestionWord {
  /** Any of them stands for the word. */
  terms: number[];
  /** What related words begin with; null for short words and numbers. */
  loose: number | null;
  /** The word as it was written, in lower case; null for numbers, codes and compounds. */
  text: string | null;
  /** Whether it is capitalised within the question. Abbreviations are not: they are translated, not transcribed. */
  isName: boolean;
}

/** The words of a question without duplicates. */
export function questionWords(question: string): QuestionWord[] {
  const words = wordsOf(question).flatMap((word, at) => {
    const crossed = crossScriptTerm(word);
    const stems = wordTerms(word);
    return stems.map((stem) => ({
      terms: crossed !== null && stems.length === 1 ? [hashTerm(stem), hashTerm(crossed)] : [hashTerm(stem)],
      loose: looseHash(stem),
      text: stems.length === 1 && plainWord.test(word) ? word.toLowerCase() : null,
      isName: at > 0 && capitalised.test(word),
    }));
  });
  return [...new Map(words.map((word) => [word.terms[0], word])).values()];
}

/** `премьер-министр` has no translation as one word, but its parts have. */
const hyphen = /(?<=[\p{L}\p{N}])[-‐‑](?=\p{L}{3})/gu;

/** The words of a question for texts in another language: compounds in their parts. */
export function translatableWords(question: string): QuestionWord[] {
  return questionWords(question.replace(hyphen, ' '));
}

/** The plain words of texts, one per term, in lower case. */
export function vocabularyOf(texts: readonly string[]): Map<number, string> {
  const words = new Map<number, string>();
  for (const word of texts.flatMap(wordsOf)) {
    const [term] = hashesOf(word).terms;
    if (term !== undefined && plainWord.test(word) && !words.has(term)) words.set(term, word.toLowerCase());
  }
  return words;
}

/** The words of a text in their order, those without a term left out. */
export function textWords(text: string): WordHashes[] {
  return wordsOf(text)
    .map(hashesOf)
    .filter(({ terms }) => terms.length > 0);
}

/** Related words share their first letters more often than their stem: `поглощает` and `поглощение`. */
const looseLength = 5;
const letters = /^[a-zа-я]+$/;

function looseHash(stem: string): number | null {
  if (stem.length < looseLength || !letters.test(stem)) return null;
  return hashTerm(`${stem.slice(0, looseLength)}*`);
}

function wordsOf(text: string): string[] {
  return text.replace(groupSpace, '').normalize('NFKC').match(joinedWords) ?? [];
}

function hashesOf(word: string): WordHashes {
  const cached = cache.get(word);
  if (cached) return cached;
  const named = nameTerm(word);
  const stems = wordTerms(word);
  const terms = named === null ? stems : [...stems, named];
  const loose = stems.map(looseHash).filter((hash) => hash !== null);
  const hashes = {
    terms: terms.length === 0 ? none : Uint32Array.from(terms, hashTerm),
    loose: loose.length === 0 ? none : Uint32Array.from(loose),
  };
  if (word.length <= longestCachedWord) {
    if (cache.size >= cacheSize) cache = new Map();
    // A slice of a matched text would keep that whole text in memory.
    cache.set(Buffer.from(word).toString(), hashes);
  }
  return hashes;
}

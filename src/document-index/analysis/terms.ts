import type { TermCounts } from '../../platform/vectors/vector-store.ts';
import { hashTerm } from './hash-term.ts';
import { crossScriptTerm, nameTerm } from './name-terms.ts';
import { joinedWords, wordTerms } from './word-terms.ts';

const highestCount = 65_535;
const longestCachedWord = 40;
const cacheSize = 50_000;
/** In `12 000`. An ordinary space may as well separate two numbers, such as the cells of a table. */
const groupSpace = /(?<=\d)[\u00a0\u2009\u202f](?=\d{3}(?!\d))/g;
const none = new Uint32Array();

/** Terms by word: most of the time goes into stems, and a few thousand words make up most of any text. */
let cache = new Map<string, Uint32Array>();

/** How often each term occurs in a text. */
export function termsOf(text: string): TermCounts {
  const counts = new Map<number, number>();
  for (const word of wordsOf(text)) {
    for (const term of hashesOf(word)) counts.set(term, (counts.get(term) ?? 0) + 1);
  }
  const terms = Uint32Array.from(counts.keys()).sort();
  return { terms, counts: Uint16Array.from(terms, (term) => Math.min(highestCount, counts.get(term) ?? 0)) };
}

/** The terms of a question, without duplicates. */
export function queryTerms(question: string): Uint32Array {
  return Uint32Array.from(new Set(questionWords(question).flat())).sort();
}

/** The words of a question, each with the terms that stand for it: any of them is a match. */
export function questionWords(question: string): number[][] {
  const words = wordsOf(question).flatMap((word) => {
    const crossed = crossScriptTerm(word);
    const terms = wordTerms(word).map((term) => [hashTerm(term)]);
    return crossed !== null && terms.length === 1 ? [[...(terms[0] as number[]), hashTerm(crossed)]] : terms;
  });
  return [...new Map(words.map((terms) => [terms[0], terms])).values()];
}

/** The terms of a text in their order. */
export function termSequence(text: string): number[] {
  return wordsOf(text).flatMap((word) => [...hashesOf(word)]);
}

function wordsOf(text: string): string[] {
  return text.replace(groupSpace, '').normalize('NFKC').match(joinedWords) ?? [];
}

function hashesOf(word: string): Uint32Array {
  const cached = cache.get(word);
  if (cached) return cached;
  const named = nameTerm(word);
  const terms = named === null ? wordTerms(word) : [...wordTerms(word), named];
  const hashes = terms.length === 0 ? none : Uint32Array.from(terms, hashTerm);
  if (word.length <= longestCachedWord) {
    if (cache.size >= cacheSize) cache = new Map();
    // A slice of a matched text would keep that whole text in memory.
    cache.set(Buffer.from(word).toString(), hashes);
  }
  return hashes;
}

import type { CallOptions } from '../../../platform/inference/sending/call-options.ts';
import { type QuestionWord, vocabularyOf } from '../../analysis/terms.ts';
import { embedTexts, type QuestionEmbedding } from './embed-texts.ts';
import { cosine, positionOnScale, type SimilarityScale, scaleOf } from './scale-model.ts';
import { wordPairs } from './word-pairs.ts';

/** By the first term of a question's word: the terms of texts that mean the same, and how surely, 0 to 1. */
export type Translations = ReadonlyMap<number, ReadonlyMap<number, number>>;

export interface TranslateInput {
  model: string;
  words: readonly QuestionWord[];
  texts: readonly string[];
}

type Call = Pick<CallOptions, 'credentials' | 'signal' | 'requestId'>;

/** More are the words of a pasted text, not of a question. */
const mostQuestionWords = 40;
const mostTextWords = 1_200;
/** Vectors of words that are kept per process: about 16 MB at 512 dimensions. */
const mostKept = 8_000;
/** The passages are found without translations too, so a slow model must not hold up the answer for long. */
const longestWait = 3_000;
const wordsPerRequest = 256;
/** From where to where on the scale of word pairs a translation is doubtful. */
const [doubtful, sure] = [0.1, 0.85];

/**
 * Translates words by the embeddings model itself: a word and its translation are close to each other. Only words that
 * stand in the texts come into question. Null if the model can't be called, or does not know the languages.
 */
export function openTranslator(
  deps: QuestionEmbedding,
): (input: TranslateInput, call: Call) => Promise<Translations | null> {
  let kept = new Map<string, Float32Array>();

  async function vectorsOf(
    model: string,
    purpose: 'query' | 'document',
    words: readonly string[],
    call: Call,
  ) {
    const keyOf = (word: string) => `${model}\n${purpose}\n${word}`;
    const missing = [...new Set(words)].filter((word) => !kept.has(keyOf(word)));
    const to = { model, dimensions: null, purpose, longestWait, batchTexts: wordsPerRequest };
    const made = missing.length === 0 ? [] : await embedTexts(deps, missing, to, call);
    if (!made) return null;
    const added = new Map(missing.map((word, at) => [keyOf(word), made[at] as Float32Array]));
    const vectors = words.map((word) => (kept.get(keyOf(word)) ?? added.get(keyOf(word))) as Float32Array);
    if (kept.size + added.size > mostKept) kept = new Map();
    for (const [key, vector] of added) kept.set(key, vector);
    return vectors;
  }

  return async ({ model, words, texts }, call) => {
    const asked = words.filter(({ text }) => text !== null).slice(0, mostQuestionWords);
    const vocabulary = [...vocabularyOf(texts)].slice(0, mostTextWords);
    if (asked.length === 0 || vocabulary.length === 0) return null;
    const questionTexts = [...wordPairs.map(([russian]) => russian), ...asked.map(({ text }) => text ?? '')];
    const textWords = [...wordPairs.map(([, english]) => english), ...vocabulary.map(([, text]) => text)];
    const [own, others] = await Promise.all([
      vectorsOf(model, 'query', questionTexts, call),
      vectorsOf(model, 'document', textWords, call),
    ]);
    if (!own || !others) return null;
    const size = wordPairs.length;
    const scale = scaleOf(own.slice(0, size), others.slice(0, size));
    return new Map(
      asked.map(({ terms }, at) => {
        const found = vocabulary.flatMap(([term], place): [number, number][] => {
          const credit = creditOf(cosine(own[size + at], others[size + place]), scale);
          return credit > 0 ? [[term, credit]] : [];
        });
        return [terms[0] ?? 0, new Map(found)];
      }),
    );
  };
}

function creditOf(similarity: number, scale: SimilarityScale): number {
  const place = positionOnScale(similarity, scale) ?? 0;
  return Math.min(1, Math.max(0, (place - doubtful) / (sure - doubtful)));
}

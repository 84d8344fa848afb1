import { expect, test } from 'vitest';
import { Unavailable } from '../../../contracts/problems.ts';
import { questionWords } from '../../analysis/terms.ts';
import { coverWords } from '../ranking/term-coverage.ts';
import type { QuestionEmbedding } from './embed-texts.ts';
import { openTranslator } from './translate-words.ts';
import { wordPairs } from './word-pairs.ts';

const meanings = [...wordPairs, ['насос', 'pump'], ['давление', 'pressure']] as const;

/** Stands in for a multilingual model: a word and its translation have the same vector. */
function modelThat(knows: (word: string) => number) {
  const sent: string[][] = [];
  const embed: QuestionEmbedding['inference']['embed'] = async function* (texts) {
    const all: string[] = [];
    for await (const text of texts) all.push(text);
    sent.push(all);
    const vectors = all.map((text) => {
      const vector = new Float32Array(meanings.length + 1).fill(0.01);
      const meaning = knows(text);
      vector[meaning === -1 ? meanings.length : meaning] = 1;
      return vector;
    });
    yield { start: 0, texts: all, vectors, usage: undefined };
  };
  return { deps: { inference: { embed }, embeddingForm: () => ({ prefix: '' }) }, sent };
}

const call = { credentials: 'platform' as const, signal: AbortSignal.timeout(30_000) };
const words = questionWords('Какое давление у насос TP-400?');
const chunk = { context: '', text: 'The pump TP-400 reaches a pressure of six bar.' };
const input = { model: 'm', words, texts: [chunk.text] };
const bilingual = (word: string) => meanings.findIndex((pair) => (pair as readonly string[]).includes(word));

test('a text covers a question in another language by what its words mean', async () => {
  const { deps } = modelThat(bilingual);
  const [plain] = coverWords(words, [chunk]);
  const [translated] = coverWords(words, [chunk], await openTranslator(deps)(input, call));
  expect(translated?.text).toBeCloseTo(1);
  expect(translated?.window).toBeCloseTo(1);
  expect(plain?.text).toBeLessThan(0.9);
});

test('numbers and codes are not sent to the model, and no word twice', async () => {
  const { deps, sent } = modelThat(bilingual);
  const translate = openTranslator(deps);
  const first = await translate(input, call);
  expect(sent.flat().filter((text) => /\d/.test(text))).toEqual([]);
  expect(await translate(input, call)).toEqual(first);
  expect(sent).toHaveLength(2);
});

test('a model that takes all words for the same translates none', async () => {
  const { deps } = modelThat(() => 0);
  const translations = await openTranslator(deps)(input, call);
  expect([...(translations?.values() ?? [])].every(({ size }) => size === 0)).toBe(true);
});

test('without the model there are no translations', async () => {
  const { deps } = modelThat(bilingual);
  const embed: QuestionEmbedding['inference']['embed'] = async function* () {
    yield* [];
    throw new Unavailable('no pod serves it');
  };
  expect(await openTranslator({ ...deps, inference: { embed } })(input, call)).toBeNull();
  expect(await openTranslator(deps)({ ...input, words: [] }, call)).toBeNull();
});

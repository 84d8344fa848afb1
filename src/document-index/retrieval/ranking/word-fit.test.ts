import { expect, test } from 'vitest';
import { fitWords } from './word-fit.ts';

const [word, name] = [{ isName: false }, { isName: true }];

test('doubtful translations count nothing, likely ones in part, and sure ones fully', () => {
  const fit = fitWords([word, word, word], { text: [0.3, 0.6, 0.9], sentence: [0, 0, 0.9] });
  expect(fit.text).toBeCloseTo(0.5);
  expect(fit.sentence).toBeCloseTo(1 / 3);
});

test('a name that does not occur speaks against the text, and a question without names does not', () => {
  const missing = fitWords([word, name, name], { text: [1, 1, 0], sentence: [1, 1, 0] });
  expect(missing.names).toBeCloseTo(0.5);
  expect(fitWords([word], { text: [0], sentence: [0] }).names).toBe(1);
});

test('a question without words fits nothing', () => {
  expect(fitWords([], { text: [], sentence: [] })).toEqual({ text: 0, sentence: 0, names: 1 });
});

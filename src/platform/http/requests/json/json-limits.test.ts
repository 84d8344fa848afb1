import { expect, it } from 'vitest';
import { hasLoneSurrogates, isNestedDeeper } from './json-limits.ts';

const nested = (depth: number) => JSON.parse('['.repeat(depth) + ']'.repeat(depth));

it('counts how deep objects and arrays are nested', () => {
  expect(isNestedDeeper('text', 0)).toBe(false);
  expect(isNestedDeeper([], 0)).toBe(true);
  expect(isNestedDeeper([[1], { a: 1 }], 2)).toBe(false);
  expect(isNestedDeeper([[1], { a: [1] }], 2)).toBe(true);
  expect(isNestedDeeper(nested(128), 128)).toBe(false);
  expect(isNestedDeeper(nested(100_000), 128)).toBe(true);
});

it.each([
  ['"\\ud800"', true],
  ['{"\\udc00": 1}', true],
  ['{"a": ["\\ud83d x"]}', true],
  ['"\\ud83d\\ude00"', false],
  ['"\\\\ud800"', false],
  ['"\\u0041"', false],
])('finds half characters: %s', (text, found) => {
  expect(hasLoneSurrogates(JSON.parse(text), text)).toBe(found);
});

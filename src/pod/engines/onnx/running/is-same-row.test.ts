import { expect, test } from 'vitest';
import { isAlikeRow, isSameRow } from './is-same-row.ts';

test.each([
  ['equal', [3, 4], [3, 4], true],
  ['rounded', [3, 4], [3.00001, 4], true],
  ['moved', [3, 4], [3.01, 4], false],
  ['rounded near zero', [0.00001], [0.00002], true],
  ['not a number', [Number.NaN], [1], false],
])('rows that are %s', (_, a, b, expected) => {
  expect(isSameRow(Float32Array.from(a), Float32Array.from(b))).toBe(expected);
});

test.each([
  ['quantised otherwise', [3, 4], [3.2, 3.8], true],
  ['unrelated', [3, 4], [4, -3], false],
  ['of another length', [3, 4], [3], false],
])('rows that are %s', (_, a, b, expected) => {
  expect(isAlikeRow(Float32Array.from(a), Float32Array.from(b))).toBe(expected);
});

import { expect, test } from 'vitest';
import { byteRange } from './byte-range.ts';

test.each([
  [undefined, undefined],
  ['bytes=0-99', { first: 0, last: 9 }],
  ['bytes=2-5', { first: 2, last: 5 }],
  ['bytes=7-', { first: 7, last: 9 }],
  ['bytes=-3', { first: 7, last: 9 }],
  ['bytes=-30', { first: 0, last: 9 }],
  ['bytes=-0', 'unsatisfiable'],
  ['bytes=10-', 'unsatisfiable'],
  ['bytes=5-2', undefined],
  ['bytes=0-1,4-5', undefined],
  ['bytes=-', undefined],
  ['lines=1-2', undefined],
])('%s of ten bytes', (header, range) => {
  expect(byteRange(header, 10)).toEqual(range);
});

test('nothing of an empty file', () => {
  expect(byteRange('bytes=0-0', 0)).toBe('unsatisfiable');
});

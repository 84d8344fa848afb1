import { expect, test } from 'vitest';
import { follows, listMarker } from './list-marker.ts';

test.each(['•', '–', '1.', '12)', '(3)', '2.1.', 'a)', 'б)', 'iv.', '[7]', '\uf0b7'])(
  '%s is a marker',
  (word) => {
    expect(listMarker(word)).toBeDefined();
  },
);

test.each(['2024', 'word', 'constructor', '1990.', 'etc.', '3.5'])('%s is none', (word) => {
  expect(listMarker(word)).toBeUndefined();
});

test('counts on in the same shape only', () => {
  expect(follows('1.', '2.')).toBe(true);
  expect(follows('а)', 'б)')).toBe(true);
  expect(follows('9.', '10.')).toBe(true);
  expect(follows('1.', '2)')).toBe(false);
  expect(follows('1.', '3.')).toBe(false);
});

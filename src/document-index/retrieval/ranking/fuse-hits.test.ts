import { expect, test } from 'vitest';
import type { Hit } from '../../../platform/vectors/vector-store.ts';
import { fuseHits } from './fuse-hits.ts';

const hit = (id: number, lexical: number, dense: number | null, sentence: number | null = null): Hit => ({
  id,
  group: 1,
  lexical,
  dense,
  sentence,
});
const weights = { lexical: 0.5, dense: 0.5, sentence: 0 };
const scores = (hits: Hit[], shares = weights) =>
  Object.fromEntries(fuseHits(hits, shares).map(({ hit: { id }, score }) => [id, Number(score.toFixed(3))]));

test('adds both sides on the scale of 0 to 1, best first', () => {
  expect(scores([hit(1, 2, 0.9), hit(2, 6, 0.5), hit(3, 4, 0.1)])).toEqual({ 1: 0.5, 2: 0.75, 3: 0.25 });
  expect(fuseHits([hit(1, 2, 0.9), hit(2, 6, 0.5)], weights).map(({ hit: { id } }) => id)).toEqual([1, 2]);
});

test('a hit that one side does not know gets nothing from it and leaves its scale alone', () => {
  expect(scores([hit(1, 0, 0.9), hit(2, 8, 0.1), hit(3, 4, 0.5)])).toEqual({ 1: 0.5, 2: 0.5, 3: 0.25 });
  expect(scores([hit(1, 3, null), hit(2, 6, 0.4)])).toEqual({ 1: 0, 2: 1 });
});

test('the best sentence counts, or the passage itself where it has none', () => {
  const shares = { lexical: 0, dense: 0, sentence: 1 };
  expect(scores([hit(1, 0, 0.2, 0.8), hit(2, 0, 0.6), hit(3, 0, 0.4, 0.4)], shares)).toEqual({
    1: 1,
    2: 0.5,
    3: 0,
  });
});

test('equal scores and no hits', () => {
  expect(scores([hit(2, 5, null), hit(1, 5, null)])).toEqual({ 1: 0.5, 2: 0.5 });
  expect(fuseHits([], weights)).toEqual([]);
});

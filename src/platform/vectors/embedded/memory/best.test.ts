import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../../../test/testkit/random.ts';
import { Best } from './best.ts';

describe('Best', () => {
  it.each([0, 1, 10, 500, 5_000])('keeps the %d best, and of equal ones the first', (limit) => {
    const random = seededRandom(limit);
    const offered = Array.from({ length: 2_000 }, (_, slot) => ({ slot, score: random.below(300) - 150 }));
    const best = new Best(limit);
    for (const { slot, score } of offered) best.offer(slot, score);
    const sorted = offered.toSorted((one, other) => other.score - one.score || one.slot - other.slot);
    expect(best.take()).toEqual(sorted.slice(0, limit));
  });
});

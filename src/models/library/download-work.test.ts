import { describe, expect, test } from 'vitest';
import { DeadlineExceeded, OutOfSpace, Unavailable, UpstreamFailed } from '../../contracts/problems.ts';
import { Refused } from '../files/http/answer-problem.ts';
import { unknownHostCode } from '../files/http/patience.ts';
import { pauseBefore } from './download-work.ts';

describe('the pause before the next attempt', () => {
  test.each([
    new Unavailable('out of reach'),
    new UpstreamFailed('answered 500'),
    new DeadlineExceeded('slow'),
  ])('grows: %s', (error) => {
    expect([1, 2, 3].map((attempt) => pauseBefore(attempt, error))).toEqual([30_000, 60_000, 120_000]);
  });

  test('there is none after a refusal, a full disk or a fault of ours', () => {
    for (const error of [new Refused('gated'), new OutOfSpace('full'), new TypeError('x')])
      expect(pauseBefore(1, error)).toBeNull();
  });

  test('a name that does not resolve is given up after three attempts', () => {
    const error = new Unavailable('no such name', { code: unknownHostCode });
    expect([1, 2, 3].map((attempt) => pauseBefore(attempt, error))).toEqual([10_000, 20_000, null]);
  });
});

import { describe, expect, it } from 'vitest';
import { BadRequest, RateLimited, Unavailable, UpstreamFailed } from '../../../contracts/problems.ts';
import { ownKeyRefused } from './read-problem.ts';
import { nextTry, noRetries } from './retries.ts';

const fresh = { all: 0, counted: 0, elapsed: 0 };
const thrice = { retries: 3, patience: 0 };
const patient = { retries: 0, patience: 60_000 };

describe('nextTry', () => {
  it('tries nothing again that will fail again', () => {
    for (const policy of [thrice, patient]) {
      expect(nextTry(policy, new BadRequest('no'), fresh, 0)).toBeUndefined();
      expect(nextTry(policy, new Error('bug'), fresh, 0)).toBeUndefined();
      expect(nextTry(policy, new UpstreamFailed('key', { code: ownKeyRefused }), fresh, 0)).toBeUndefined();
    }
    expect(nextTry(noRetries, new Unavailable('gone'), fresh, 0)).toBeUndefined();
  });

  it('backs off further each time, up to a limit', () => {
    const delays = [0, 1, 2, 3, 30].map(
      (all) => nextTry(thrice, new Unavailable('gone'), { ...fresh, all }, 0)?.delay,
    );
    expect(delays).toEqual([250, 500, 1000, 2000, 5000]);
    expect(nextTry(thrice, new Unavailable('gone'), fresh, 1)?.delay).toBeGreaterThan(250);
  });

  it('counts retries', () => {
    expect(nextTry(thrice, new UpstreamFailed('cut'), { ...fresh, counted: 2 }, 0)).toMatchObject({
      counts: true,
    });
    expect(nextTry(thrice, new UpstreamFailed('cut'), { ...fresh, counted: 3 }, 0)).toBeUndefined();
  });

  it('honours Retry-After, and does not wait a month for it', () => {
    expect(nextTry(thrice, new RateLimited('slow', { retryAfter: 7 }), fresh, 0)?.delay).toBe(7000);
    expect(nextTry(thrice, new RateLimited('month', { retryAfter: 1e6 }), fresh, 0)).toBeUndefined();
  });

  it('waits out what is unavailable while patience lasts, without counting', () => {
    const gone = new Unavailable('gone', { retryAfter: 5 });
    expect(nextTry(patient, gone, { all: 9, counted: 0, elapsed: 50_000 }, 0)).toEqual({
      delay: 5000,
      counts: false,
    });
    expect(nextTry(patient, gone, { all: 9, counted: 0, elapsed: 58_000 }, 0)).toBeUndefined();
    expect(nextTry(patient, new UpstreamFailed('cut'), fresh, 0)).toBeUndefined();
  });
});

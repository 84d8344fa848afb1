import { describe, expect, it } from 'vitest';
import {
  admits,
  closedBreaker,
  recordAttempt,
  recordFailure,
  recordNothing,
  recordSuccess,
} from './circuit-breaker.ts';

const settings = { failures: 3, cooldown: 1000 };

function opened() {
  const breaker = closedBreaker();
  for (let n = 0; n < 3; n++) recordFailure(breaker, 0, settings);
  return breaker;
}

describe('circuit breaker', () => {
  it('opens after the configured number of consecutive failures', () => {
    const breaker = closedBreaker();
    recordFailure(breaker, 0, settings);
    recordFailure(breaker, 0, settings);
    expect(admits(breaker, 0)).toBe(true);
    recordFailure(breaker, 0, settings);
    expect(admits(breaker, 999)).toBe(false);
  });

  it('resets the failure count on success', () => {
    const breaker = closedBreaker();
    recordFailure(breaker, 0, settings);
    recordFailure(breaker, 0, settings);
    recordSuccess(breaker);
    recordFailure(breaker, 0, settings);
    expect(admits(breaker, 0)).toBe(true);
  });

  it('lets one request through after the cooldown, and closes if it succeeds', () => {
    const breaker = opened();
    expect(admits(breaker, 1000)).toBe(true);
    recordAttempt(breaker);
    expect(admits(breaker, 1000)).toBe(false);
    recordSuccess(breaker);
    expect(admits(breaker, 1000)).toBe(true);
  });

  it('stays open twice as long when the trial fails', () => {
    const breaker = opened();
    recordAttempt(breaker);
    recordFailure(breaker, 1000, settings);
    expect(admits(breaker, 2999)).toBe(false);
    expect(admits(breaker, 3000)).toBe(true);
  });

  it('allows another trial if the last one had no result', () => {
    const breaker = opened();
    recordAttempt(breaker);
    recordNothing(breaker);
    expect(admits(breaker, 1000)).toBe(true);
  });
});

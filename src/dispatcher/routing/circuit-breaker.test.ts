import { describe, expect, it } from 'vitest';
import {
  admits,
  type Breaker,
  closedBreaker,
  recordAttempt,
  recordFailure,
  recordNothing,
  recordSuccess,
} from './circuit-breaker.ts';

const settings = { failures: 3, cooldown: 1000 };

function fail(breaker: Breaker, now: number, generation = breaker.generation) {
  recordFailure(breaker, generation, now, settings);
}

function opened() {
  const breaker = closedBreaker();
  for (let n = 0; n < 3; n++) fail(breaker, 0);
  return breaker;
}

describe('circuit breaker', () => {
  it('opens after the configured number of consecutive failures', () => {
    const breaker = closedBreaker();
    fail(breaker, 0);
    fail(breaker, 0);
    expect(admits(breaker, 0)).toBe(true);
    fail(breaker, 0);
    expect(admits(breaker, 999)).toBe(false);
  });

  it('resets the failure count on success', () => {
    const breaker = closedBreaker();
    fail(breaker, 0);
    fail(breaker, 0);
    recordSuccess(breaker);
    fail(breaker, 0);
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
    fail(breaker, 1000);
    expect(admits(breaker, 2999)).toBe(false);
    expect(admits(breaker, 3000)).toBe(true);
  });

  it('allows another trial if the last one had no result', () => {
    const breaker = opened();
    recordAttempt(breaker);
    recordNothing(breaker, breaker.generation);
    expect(admits(breaker, 1000)).toBe(true);
  });

  it('ignores what began before it opened', () => {
    const breaker = opened();
    for (let n = 0; n < 10; n++) fail(breaker, 0, 0);
    expect(admits(breaker, 1000)).toBe(true);
    recordAttempt(breaker);
    recordNothing(breaker, 0);
    fail(breaker, 1000, 0);
    expect(admits(breaker, 1000)).toBe(false);
  });
});

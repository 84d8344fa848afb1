import { setTimeout as pause } from 'node:timers/promises';
import { type Problem, RateLimited, Unavailable, UpstreamFailed } from '../../../contracts/problems.ts';
import type { CallOptions } from './call-options.ts';
import { ownKeyRefused } from './read-problem.ts';

export interface RetryPolicy {
  retries: number;
  patience: number;
}

export const noRetries: RetryPolicy = { retries: 0, patience: 0 };
/** For calls that may be made twice, while somebody may be waiting for the answer. */
export const briefRetries: RetryPolicy = { retries: 2, patience: 0 };

export function policyOf(options: CallOptions, defaults: RetryPolicy): RetryPolicy {
  return {
    retries: options.retries ?? defaults.retries,
    patience: options.patience ?? defaults.patience,
  };
}

/** What has been tried so far. */
export interface Tries {
  /** Failures that counted against `retries`. */
  counted: number;
  all: number;
  /** Milliseconds since the first try began. */
  elapsed: number;
}

const firstDelay = 250;
const longestBackOff = 5_000;
/** A retry that would have to wait longer is not made; patience may still allow the wait. */
const longestWait = 30_000;

export interface NextTry {
  delay: number;
  counts: boolean;
}

/** When to try again after a failure; undefined where there is no point in it. `random` is from 0 to 1. */
export function nextTry(
  policy: RetryPolicy,
  problem: unknown,
  tries: Tries,
  random: number,
): NextTry | undefined {
  if (!mayPass(problem)) return undefined;
  const backOff = Math.min(longestBackOff, firstDelay * 2 ** Math.min(tries.all, 10)) * (1 + random / 4);
  const delay = Math.max(backOff, (problem.retryAfter ?? 0) * 1000);
  if (!(problem instanceof UpstreamFailed)) {
    if (tries.elapsed + delay <= policy.patience) return { delay, counts: false };
  }
  return tries.counted < policy.retries && delay <= longestWait ? { delay, counts: true } : undefined;
}

function mayPass(problem: unknown): problem is Problem {
  if (problem instanceof Unavailable || problem instanceof RateLimited) return true;
  return problem instanceof UpstreamFailed && problem.code !== ownKeyRefused;
}

/** Makes a call again while its failures may pass. */
export async function withRetries<Answer>(
  policy: RetryPolicy,
  signal: AbortSignal,
  attempt: () => Promise<Answer>,
): Promise<Answer> {
  const start = performance.now();
  for (let all = 0, counted = 0; ; all++) {
    try {
      return await attempt();
    } catch (error) {
      signal.throwIfAborted();
      const tries = { all, counted, elapsed: performance.now() - start };
      const next = nextTry(policy, error, tries, Math.random());
      if (!next) throw error;
      if (next.counts) counted++;
      await wait(next.delay, signal);
    }
  }
}

async function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await pause(milliseconds, undefined, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

import { DeadlineExceeded, Unavailable, UpstreamFailed } from '../../../contracts/problems.ts';
import { unknownHostCode } from '../addresses/guard.ts';
import { Refused, rateLimitedCode } from './answer-problem.ts';

/** Waits; tests don't. */
export type Wait = (milliseconds: number, signal: AbortSignal) => Promise<void>;

export interface Patience {
  signal: AbortSignal;
  wait: Wait;
  /** Called where a server limits the rate, with the pause that it asks for. */
  onRateLimit?(milliseconds: number): void;
}

const tries = 4;
/** A server that asks for a longer pause has refused for now. */
const longestPause = 60_000;
/** All pauses for rate limits of one request. Many requests share a limit, so each may be refused often. */
const rateLimitPatience = 5 * 60_000;

/** Repeats what may pass later, after growing pauses that are at least as long as the server asks for. */
export async function patiently<Result>(
  { signal, wait, onRateLimit }: Patience,
  work: () => Promise<Result>,
): Promise<Result> {
  let failures = 0;
  let limited = 0;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      if (!isTemporary(error)) throw error;
      const asked = (error.retryAfter ?? 0) * 1000;
      if (asked > longestPause) throw error;
      const pause = Math.max(asked, 200 * 2 ** failures) + 100 * Math.random();
      if (error.code === rateLimitedCode) {
        limited += pause;
        if (limited > rateLimitPatience) throw error;
        onRateLimit?.(asked);
      } else {
        failures++;
        if (failures >= (error.code === unknownHostCode ? 2 : tries)) throw error;
      }
      await wait(pause, signal);
    }
  }
}

/** Whether another try may succeed. */
export function isTemporary(error: unknown): error is UpstreamFailed | Unavailable | DeadlineExceeded {
  if (error instanceof Refused) return false;
  return error instanceof UpstreamFailed || error instanceof Unavailable || error instanceof DeadlineExceeded;
}

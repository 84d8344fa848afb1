import { DeadlineExceeded, Unavailable, UpstreamFailed } from '../../../contracts/problems.ts';
import { unknownHostCode } from '../addresses/guard.ts';
import { Refused, rateLimitedCode } from './answer-problem.ts';

/** Waits; tests don't. */
export type Wait = (milliseconds: number, signal: AbortSignal) => Promise<void>;

export interface Patience {
  signal: AbortSignal;
  wait: Wait;
  /** A server that asks for a longer pause has refused for now. */
  longestWait: number;
  /** Called where a server limits the rate, with the pause that it asks for or, without one, that is made. */
  onRateLimit?(milliseconds: number): void;
}

const tries = 4;
/** Pauses for rate limits of one request, in longest waits. Many requests share a limit, so each may be refused often. */
const rateLimitPatience = 5;
const shortestPause = 200;

/** Repeats what may pass later, after growing pauses that are at least as long as the server asks for. */
export async function patiently<Result>(
  { signal, wait, longestWait, onRateLimit }: Patience,
  work: () => Promise<Result>,
): Promise<Result> {
  let failures = 0;
  let refusals = 0;
  let limited = 0;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      if (!isTemporary(error)) throw error;
      const asked = (error.retryAfter ?? 0) * 1000;
      const isLimit = error.code === rateLimitedCode;
      // A server that names a pause knows when the next request may come; otherwise the pauses grow.
      const growing =
        isLimit && asked > 0 ? 0 : Math.min(shortestPause * 2 ** (failures + refusals), longestWait);
      const shortest = Math.max(asked, growing);
      if (isLimit) onRateLimit?.(shortest);
      if (asked > longestWait) throw error;
      const pause = shortest + 100 * Math.random();
      if (isLimit) {
        refusals++;
        limited += pause;
        if (limited > rateLimitPatience * longestWait) throw error;
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

import { setTimeout as wait } from 'node:timers/promises';
import { DeadlineExceeded, RateLimited, Unavailable, UpstreamFailed } from '../../../contracts/problems.ts';
import { refusedCode } from './answer-problem.ts';

/**
 * Retries what may succeed later, with growing pauses that are at least as long as the server asks for.
 * Gives up after `tries` failures in a row without progress; `progressed` tells whether the last try made some.
 */
export async function patiently<Result>(
  signal: AbortSignal,
  work: () => Promise<Result>,
  { tries = 5, progressed = () => false }: { tries?: number | undefined; progressed?: () => boolean } = {},
): Promise<Result> {
  for (let failures = 0; ; ) {
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      failures = progressed() ? 0 : failures + 1;
      if (!isTemporary(error) || failures >= tries) throw error;
      await pause(error, failures, signal);
    }
  }
}

/** Whether another try may succeed. */
export function isTemporary(error: unknown): boolean {
  if (error instanceof UpstreamFailed) return error.code !== refusedCode;
  return error instanceof Unavailable || error instanceof RateLimited || error instanceof DeadlineExceeded;
}

export async function pause(error: unknown, failures: number, signal: AbortSignal): Promise<void> {
  const asked = error instanceof RateLimited ? (error.retryAfter ?? 0) * 1000 : 0;
  await wait(Math.min(60_000, Math.max(asked, 125 * 2 ** failures)), undefined, { signal });
}

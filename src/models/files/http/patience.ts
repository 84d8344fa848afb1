import { setTimeout as wait } from 'node:timers/promises';
import { DeadlineExceeded, Problem, Unavailable, UpstreamFailed } from '../../../contracts/problems.ts';
import { Refused } from './answer-problem.ts';

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
      if (!isTemporary(error) || failures >= Math.min(tries, mostTries(error))) throw error;
      await pause(error, failures, signal);
    }
  }
}

/** Whether another try may succeed. */
export function isTemporary(error: unknown): boolean {
  if (error instanceof UpstreamFailed) return !(error instanceof Refused);
  return error instanceof Unavailable || error instanceof DeadlineExceeded;
}

/** The name of a server does not resolve: mistyped, or this machine has no network. */
export const unknownHostCode = 'unknown_host';

export const isUnknownHost = (error: unknown): boolean =>
  error instanceof Problem && error.code === unknownHostCode;

/** A name that does not resolve rarely does so a few seconds later. */
const mostTries = (error: unknown) => (isUnknownHost(error) ? 2 : Number.POSITIVE_INFINITY);

export async function pause(error: unknown, failures: number, signal: AbortSignal): Promise<void> {
  const asked = error instanceof UpstreamFailed ? (error.retryAfter ?? 0) * 1000 : 0;
  await wait(Math.min(60_000, Math.max(asked, 125 * 2 ** failures)), undefined, { signal });
}

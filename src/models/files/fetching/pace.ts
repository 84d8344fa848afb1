import { Problem, Unavailable } from '../../../contracts/problems.ts';

export interface Pace {
  /** A connection that brings fewer than `leastBytes` within so many milliseconds is dropped. */
  stallAfter: number;
  leastBytes: number;
}

export const usualPace: Pace = { stallAfter: 20_000, leastBytes: 64 * 2 ** 10 };

/** Runs a transfer, aborts it when it stalls, and turns connection errors into problems that may be retried. */
export async function atPace<Result>(
  { stallAfter, leastBytes }: Pace,
  signal: AbortSignal,
  transfer: (watched: { signal: AbortSignal; onArrival(bytes: number): void }) => Promise<Result>,
): Promise<Result> {
  const stalled = new AbortController();
  let arrived = 0;
  const watch = setInterval(() => {
    if (arrived < leastBytes) stalled.abort();
    arrived = 0;
  }, stallAfter);
  const onArrival = (bytes: number) => {
    arrived += bytes;
  };
  try {
    return await transfer({ signal: AbortSignal.any([signal, stalled.signal]), onArrival });
  } catch (error) {
    signal.throwIfAborted();
    const { code, message } = error as NodeJS.ErrnoException;
    if (stalled.signal.aborted) throw new Unavailable('the connection stalled', { cause: error });
    if (error instanceof Problem) throw error;
    throw new Unavailable(`the connection was cut (${code ?? message})`, { cause: error });
  } finally {
    clearInterval(watch);
  }
}

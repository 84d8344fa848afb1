import { isTemporary, pause } from '../http-fetch.ts';

/**
 * Tries again what may work the next time, waiting longer each time and at least as long as the server asks.
 * Gives up after `tries` failures in a row; `progressed` says whether the last try brought something.
 */
export async function patiently<Result>(
  signal: AbortSignal,
  work: () => Promise<Result>,
  { tries = 5, progressed = () => false }: { tries?: number; progressed?: () => boolean } = {},
): Promise<Result> {
  for (let failures = 0; ; ) {
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      failures = progressed() ? 1 : failures + 1;
      if (!isTemporary(error) || failures >= tries) throw error;
      await pause(error, failures - 1, signal);
    }
  }
}

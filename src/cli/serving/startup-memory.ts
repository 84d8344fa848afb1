import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Milliseconds; gives the first requests after the start time to finish. */
const delay = 2_000;

/**
 * Startup leaves about 30 MB of garbage, which V8 keeps until it needs memory. One full garbage collection, which
 * takes about 100 ms, releases it.
 */
export function releaseStartupMemory(): void {
  setTimeout(collectEverything, delay).unref();
}

export function collectEverything(): void {
  setFlagsFromString('--expose-gc');
  const collect: NonNullable<typeof globalThis.gc> = runInNewContext('gc');
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Once the first requests of whoever waited for the start are answered. */
const delay = 2_000;

/**
 * A start leaves some thirty megabytes of garbage, which V8 keeps for as long as nothing asks for memory. One full
 * collection gives them back; it takes about a tenth of a second, once.
 */
export function releaseStartupMemory(): void {
  setTimeout(collectEverything, delay).unref();
}

export function collectEverything(): void {
  setFlagsFromString('--expose-gc');
  const collect: NonNullable<typeof globalThis.gc> = runInNewContext('gc');
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

import type { Clock } from '../../../contracts/clock.ts';
import type { Problem } from '../../../contracts/problems.ts';
import type { Caller } from '../../../platform/http/access.ts';
import type { ProxyCaller } from './gate.ts';

export interface Verdict extends ProxyCaller {
  caller: Caller;
}

/** How long a verdict on a header is trusted. A key that is revoked must stop working within a second. */
const trustFor = 500;
/** Longer headers are checked each time. */
const longestHeader = 256;
const mostKeys = 10_000;
/** Enough for the dummy keys that clients send in open mode. Anyone can send another unknown key with each request. */
const mostUnknown = 64;

/**
 * Remembers who sent an Authorization header, since checking a key takes time. Known keys and other headers are kept
 * apart, so that made-up keys displace no real ones. `clock` must be monotonic: if it went back, a revoked key would
 * work again.
 */
export class Verdicts {
  readonly #keys = new Map<string, { verdict: Verdict; until: number }>();
  readonly #unknown = new Map<string, { verdict: Verdict; until: number }>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#keys.size + this.#unknown.size;
  }

  get(header = ''): Verdict | undefined {
    const known = this.#keys.get(header) ?? this.#unknown.get(header);
    return known && this.#clock.now() < known.until ? known.verdict : undefined;
  }

  keep(header = '', caller: Caller, onlyBots?: Problem): Verdict {
    const isKey = caller.kind === 'key';
    const verdict = { caller, id: isKey ? caller.id : 'anonymous', onlyBots };
    if (header.length > longestHeader) return verdict;
    const kept = isKey ? this.#keys : this.#unknown;
    const most = isKey ? mostKeys : mostUnknown;
    (isKey ? this.#unknown : this.#keys).delete(header);
    if (kept.size >= most && !kept.has(header)) kept.clear();
    kept.set(copyOf(header), { verdict, until: this.#clock.now() + trustFor });
    return verdict;
  }
}

/** A header that was cut out of a request's head keeps the whole head in memory; a copy does not. */
function copyOf(header: string): string {
  return Buffer.from(header, 'latin1').toString('latin1');
}

import type { Clock } from '../../contracts/clock.ts';
import { RateLimited } from '../../contracts/problems.ts';
import { subscriberOf } from '../../platform/http/requests/subscriber-of.ts';

const minute = 60_000;
const mostAddresses = 100_000;

/** Counts requests without a key per network address and minute. */
export class AddressLimits {
  readonly #clock: Clock;
  readonly #most: number;
  #minute = 0;
  #counts = new Map<string, number>();

  constructor(clock: Clock, most: number) {
    this.#clock = clock;
    this.#most = most;
  }

  /** Counts a request, or throws where the address has made too many. */
  enter(address: string): void {
    const now = this.#clock.now();
    const current = Math.floor(now / minute);
    if (current !== this.#minute || this.#counts.size >= mostAddresses) {
      this.#minute = current;
      this.#counts = new Map();
    }
    const source = subscriberOf(address);
    const count = (this.#counts.get(source) ?? 0) + 1;
    this.#counts.set(source, count);
    if (count <= this.#most) return;
    throw new RateLimited('too many requests from this address in this minute: try again later', {
      retryAfter: Math.ceil(((current + 1) * minute - now) / 1000),
    });
  }
}

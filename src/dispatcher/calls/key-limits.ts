import type { ApiKeyLimits } from '../../contracts/api-keys.ts';
import type { Clock } from '../../contracts/clock.ts';
import { Forbidden, type Problem, RateLimited } from '../../contracts/problems.ts';
import type { Occupancy } from '../routing/occupancy.ts';
import type { KeyCounts } from './key-counts.ts';

interface LimitedKey {
  id: string;
  limits: ApiKeyLimits;
}

/** Holds keys to what they may use: requests and tokens a minute, tokens a month, requests at once, models. */
export class KeyLimits {
  readonly #counts: KeyCounts;
  readonly #running: Occupancy;
  readonly #rowOf: (key: string) => number;
  readonly #clock: Clock;

  /** `rowOf` gives each key its row in the counts, the same in every worker. */
  constructor(counts: KeyCounts, running: Occupancy, rowOf: (key: string) => number, clock: Clock) {
    this.#counts = counts;
    this.#running = running;
    this.#rowOf = rowOf;
    this.#clock = clock;
  }

  /** Takes a place, or says why there is none. */
  enter({ id, limits }: LimitedKey, model: string): Problem | undefined {
    if (!isLimited(limits)) return undefined;
    if (limits.models && !limits.models.includes(model)) {
      return new Forbidden(`this key may not use model '${model}'`, {
        code: 'model_not_allowed',
        param: 'model',
      });
    }
    const now = this.#clock.now();
    const row = this.#rowOf(id);
    const count = this.#counts.of(row, now);
    const { requests_per_minute, tokens_per_minute, tokens_per_month, parallel_requests } = limits;
    const untilNextMinute = (60_000 - (now % 60_000)) / 1000;
    if (requests_per_minute && count.requests >= requests_per_minute) {
      return over('requests a minute', requests_per_minute, untilNextMinute, 'requests');
    }
    if (tokens_per_minute && count.tokens >= tokens_per_minute) {
      return over('tokens a minute', tokens_per_minute, untilNextMinute, 'tokens');
    }
    if (tokens_per_month && count.monthTokens >= tokens_per_month) {
      return over('tokens a month', tokens_per_month, untilNextMonth(now), 'tokens');
    }
    if (!this.#running.enter(row, parallel_requests ?? Number.POSITIVE_INFINITY)) {
      return over('requests at once', parallel_requests ?? 0, 1);
    }
    this.#counts.addRequest(row);
    return undefined;
  }

  /** Takes up what was used of the month by the count of all dispatchers. */
  setMonth(used: ReadonlyMap<string, number>): void {
    for (const [key, tokens] of used) this.#counts.setMonth(this.#rowOf(key), tokens);
  }

  leave({ id, limits }: LimitedKey, tokens: number): void {
    if (!isLimited(limits)) return;
    const row = this.#rowOf(id);
    this.#running.leave(row);
    this.#counts.addTokens(row, tokens, this.#clock.now());
  }
}

function isLimited(limits: ApiKeyLimits): boolean {
  for (const name in limits) if (limits[name as keyof ApiKeyLimits] != null) return true;
  return false;
}

/** With the headers that OpenAI's clients read. */
function over(what: string, limit: number, retryAfter: number, kind?: 'requests' | 'tokens'): Problem {
  const headers: Record<string, string> = kind
    ? {
        [`x-ratelimit-limit-${kind}`]: String(limit),
        [`x-ratelimit-remaining-${kind}`]: '0',
        [`x-ratelimit-reset-${kind}`]: `${Math.ceil(retryAfter)}s`,
      }
    : {};
  return new RateLimited(`this key is limited to ${limit} ${what}`, { retryAfter, headers });
}

function untilNextMonth(now: number): number {
  const date = new Date(now);
  return (Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1) - now) / 1000;
}

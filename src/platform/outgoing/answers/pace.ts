import { rateLimited, rateLimitedCode } from './answer-problem.ts';
import type { Wait } from './patience.ts';

interface Limit {
  /** No request is sent before. */
  until: number;
  /** Requests that may be under way at once, and that are. */
  allowed: number;
  active: number;
  /** Wakes those that wait for their turn, in the order in which they came. */
  waiting: Set<() => void>;
}

interface Turn {
  signal: AbortSignal;
  wait: Wait;
  /** Requests that would have to wait longer fail at once. */
  longestWait: number;
}

/** More requests than this are not made at once anyway. */
const unlimited = 32;
/** A server that asks for years is asked again after a while, for the sake of those who repair it. */
const longestHold = 10 * 60_000;

/**
 * Lets all requests to a server wait while it limits their rate. Then one is sent, and one more at once with each that
 * is not refused, so that they don't all come in the same moment.
 */
export function createPace() {
  const limits = new Map<string, Limit>();

  async function take(limit: Limit, origin: string, { signal, wait, longestWait }: Turn): Promise<void> {
    for (let waited = 0; ; ) {
      const left = limit.until - Date.now();
      if (left > longestWait) throw rateLimited(new URL(origin).host, Math.ceil(left / 1000));
      if (left > 0 && limit.until !== waited) {
        waited = limit.until;
        await wait(left, signal);
      } else if (limit.active >= limit.allowed) await turnOf(limit, signal);
      else {
        limit.active++;
        return;
      }
    }
  }

  function release(limit: Limit, origin: string, isRefused: boolean): void {
    limit.active--;
    if (!isRefused) limit.allowed++;
    if (limit.allowed > unlimited && limits.get(origin) === limit) limits.delete(origin);
    for (const wake of [...limit.waiting].slice(0, Math.max(0, limit.allowed - limit.active))) wake();
  }

  return {
    /** Notes that a server limits the rate, and the pause that it asks for. */
    hold(origin: string, milliseconds: number): void {
      const limit = limits.get(origin) ?? { until: 0, allowed: 1, active: 0, waiting: new Set() };
      limit.until = Math.max(limit.until, Date.now() + Math.min(milliseconds, longestHold));
      limit.allowed = 1;
      limits.set(origin, limit);
    },
    /** Sends a request when it is its turn. */
    async send<Result>(origin: string, turn: Turn, request: () => Promise<Result>): Promise<Result> {
      const limit = limits.get(origin);
      if (!limit) return request();
      await take(limit, origin, turn);
      let isRefused = false;
      try {
        return await request();
      } catch (error) {
        isRefused = (error as { code?: unknown }).code === rateLimitedCode;
        throw error;
      } finally {
        release(limit, origin, isRefused);
      }
    },
  };
}

function turnOf({ waiting }: Limit, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (done: () => void) => () => {
      waiting.delete(wake);
      signal.removeEventListener('abort', stop);
      done();
    };
    const wake = settle(resolve);
    const stop = settle(() => reject(signal.reason));
    if (signal.aborted) return reject(signal.reason);
    waiting.add(wake);
    signal.addEventListener('abort', stop);
  });
}

import {
  DeadlineExceeded,
  Forbidden,
  NotFound,
  type Problem,
  RateLimited,
  Unauthenticated,
  UpstreamFailed,
} from '../../../contracts/problems.ts';
import type { HttpAnswer } from './open-address.ts';

/** Why a server refused a request, in words. */
export function answerProblem({ status, headers, url }: HttpAnswer): Problem {
  const { host, pathname } = new URL(url);
  if (status === 401) return new Unauthenticated(`${host} requires an access token for ${pathname}`);
  if (status === 403) return new Forbidden(`${host} does not allow access to ${pathname}`);
  if (status === 404 || status === 410) return new NotFound('file', `${host}${pathname}`);
  if (status === 429) {
    return new RateLimited(`${host} limits the rate of requests`, { retryAfter: secondsToWait(headers) });
  }
  if (status === 504) return new DeadlineExceeded(`${host} did not answer in time`);
  return new UpstreamFailed(`${host} answered ${status} for ${pathname}`, {
    ...(status < 500 ? { code: refusedCode } : {}),
  });
}

/** The server answered with another error of the 400s: asking again gives the same answer. */
export const refusedCode = 'upstream_refused';

/** `Retry-After` in seconds or as a date, or the model hub's own `RateLimit: "api";r=0;t=55`. */
function secondsToWait(headers: Record<string, string>): number {
  const text = headers['retry-after'];
  if (text && /^\d+$/.test(text.trim())) return Number(text);
  const date = text ? Date.parse(text) : Number.NaN;
  if (Number.isFinite(date)) return Math.max(1, Math.ceil((date - Date.now()) / 1000));
  return Number(/\bt=(\d+)/.exec(headers.ratelimit ?? '')?.[1] ?? 10);
}

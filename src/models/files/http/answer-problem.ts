import { type Problem, UpstreamFailed } from '../../../contracts/problems.ts';
import type { HttpAnswer } from './open-address.ts';

/** Another server's answer that asking again does not change: a refusal, or content that we don't accept. */
export class Refused extends UpstreamFailed {}

/**
 * Why a server refused a request, in words. Always an upstream failure: our caller has shown the right key to us, so a
 * 401 of another server must not become ours.
 */
export function answerProblem({ status, headers, url }: HttpAnswer): Problem {
  const { host, pathname } = new URL(url);
  if (status === 401) return new Refused(`${host} requires an access token for ${pathname}`);
  if (status === 403) return new Refused(`${host} does not allow access to ${pathname}`);
  if (status === 404 || status === 410) return new Refused(`${host} has no file ${pathname}`);
  if (status === 429) {
    const retryAfter = secondsToWait(headers);
    return new UpstreamFailed(`${host} limits the rate of requests; it asks to wait ${retryAfter} s`, {
      code: 'upstream_rate_limited',
      retryAfter,
    });
  }
  if (status === 408 || status === 504) return new UpstreamFailed(`${host} did not answer in time`);
  const words = `${host} answered ${status} for ${pathname}`;
  return status < 500 ? new Refused(words) : new UpstreamFailed(words);
}

/** `Retry-After` in seconds or as a date, or the model hub's own `RateLimit: "api";r=0;t=55`. */
function secondsToWait(headers: Record<string, string>): number {
  const text = headers['retry-after'];
  if (text && /^\d{1,9}$/.test(text.trim())) return Number(text);
  const date = text ? Date.parse(text) : Number.NaN;
  if (Number.isFinite(date)) return Math.max(1, Math.ceil((date - Date.now()) / 1000));
  return Number(/\bt=(\d{1,9})/.exec(headers.ratelimit ?? '')?.[1] ?? 10);
}

import { BadRequest, type Problem, Unavailable, UpstreamFailed } from '../../../contracts/problems.ts';
import type { FailedAnswer } from '../outgoing.ts';

/** Another server's answer that asking again does not change: a refusal, or content that we don't accept. */
export class Refused extends UpstreamFailed {}

/** The server says that there is nothing at the address. */
export class Gone extends Refused {}

export const rateLimitedCode = 'upstream_rate_limited';

/** Why a server refused, by its status. Always an upstream failure: a 401 of another server must not become ours. */
export function statusProblem({ status, headers, url }: Omit<FailedAnswer, 'text'>): Problem {
  const { host } = new URL(url);
  const retryAfter = secondsToWait(headers);
  const again = { ...(retryAfter !== undefined && { retryAfter }) };
  if (status === 401) return new Refused(`${host} asks for a login`);
  if (status === 403) return new Refused(`${host} does not allow access`);
  if (status === 404 || status === 410) return new Gone(`${host} has nothing at this address`);
  if (status === 429 || (status === 413 && retryAfter !== undefined)) return rateLimited(host, retryAfter);
  if (status === 503) return new UpstreamFailed(`${host} is not available at the moment`, again);
  if (status === 408 || status === 504) return new UpstreamFailed(`${host} did not answer in time`, again);
  if (status === 500 || status === 502) return new UpstreamFailed(`${host} answered ${status}`, again);
  return new Refused(`${host} answered ${status}`);
}

export const rateLimited = (host: string, retryAfter: number | undefined) =>
  new UpstreamFailed(`${host} limits the rate of requests`, {
    code: rateLimitedCode,
    ...(retryAfter !== undefined && { retryAfter }),
  });

/** A server that asks for more has refused for good. */
const mostSeconds = 1e9;

/** `Retry-After` in seconds or as a date. */
export function secondsToWait(headers: Record<string, string>): number | undefined {
  const text = headers['retry-after']?.trim();
  if (!text) return undefined;
  if (/^\d+$/.test(text)) return Math.min(Number(text), mostSeconds);
  const date = Date.parse(text);
  return Number.isFinite(date) ? Math.max(0, Math.ceil((date - Date.now()) / 1000)) : undefined;
}

/** Why a server could not be reached, in words. The details are for the log. */
export function connectionProblem(host: string, error: unknown): Problem {
  const { code = '', name } = error as NodeJS.ErrnoException;
  if (code === 'UND_ERR_INVALID_ARG') {
    return new BadRequest('the credentials contain characters that no header can have');
  }
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/.test(code)) {
    return new Refused(`the certificate of ${host} is not trusted (${code})`, { cause: error });
  }
  if (code === 'UND_ERR_HEADERS_OVERFLOW' || name === 'HTTPParserError') {
    return new Refused(`${host} does not answer like a web server`, { cause: error });
  }
  if (/TIMEOUT|ETIMEDOUT/.test(code))
    return new Unavailable(`${host} did not answer in time`, { cause: error });
  return new Unavailable(`${host} can't be reached`, { cause: error });
}

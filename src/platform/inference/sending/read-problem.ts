import {
  BadRequest,
  Conflict,
  DeadlineExceeded,
  Forbidden,
  InvalidInput,
  NotFound,
  PayloadTooLarge,
  type Problem,
  RateLimited,
  Unauthenticated,
  Unavailable,
  UpstreamFailed,
} from '../../../contracts/problems.ts';
import type { Credentials } from './call-options.ts';
import { type ErrorBody, readErrorBody } from './error-body.ts';

export const ownKeyRefused = 'platform_key_refused';

interface FailedAnswer {
  status: number;
  header(name: string): string | undefined;
  text: string;
}

/** An error answer of the dispatcher as a problem of the platform's own. */
export function readProblem(answer: FailedAnswer, credentials: Credentials, now: number): Problem {
  const { status } = answer;
  const body = readErrorBody(answer.text);
  if (status === 401 || status === 403) return refusal(answer, body, credentials);
  return problemOf(status, body, {
    retryAfter: secondsOf(answer.header('retry-after'), now),
    headers: rateLimitHeaders(answer),
    cause: { status, text: answer.text.slice(0, 2000) },
  });
}

/** The error event with which a stream ends that can't be completed. It carries no status. */
export function problemInEvent(data: string): Problem {
  const body = readErrorBody(data);
  return problemOf(statusOf(body), body, { cause: { event: data.slice(0, 2000) } });
}

interface Circumstances {
  retryAfter?: number | undefined;
  headers?: Record<string, string>;
  cause: unknown;
}

function problemOf(status: number, body: ErrorBody, { retryAfter, headers, cause }: Circumstances): Problem {
  const message = body.message ?? `the dispatcher answered ${status}`;
  const details = {
    cause,
    ...(body.code === undefined ? {} : { code: body.code }),
    ...(body.param === undefined ? {} : { param: body.param }),
  };
  const later = { ...details, ...(retryAfter === undefined ? {} : { retryAfter }) };
  switch (status) {
    case 400:
      return new BadRequest(message, details);
    case 404:
      return new NotFound('model', '', { ...details, words: message });
    case 409:
      return new Conflict(message, details);
    case 413:
      return new PayloadTooLarge(message, details);
    case 422:
      return body.issues ? new InvalidInput(body.issues) : new BadRequest(message, details);
    case 429:
      return new RateLimited(message, { ...later, ...(headers ? { headers } : {}) });
    case 503:
      return new Unavailable(message, later);
    case 504:
      return new DeadlineExceeded(message, details);
    default:
      return new UpstreamFailed(message, { cause });
  }
}

/** A refusal is the caller's only if it is the dispatcher's own and the key was the caller's. */
function refusal(answer: FailedAnswer, body: ErrorBody, credentials: Credentials): Problem {
  const cause = { status: answer.status, text: answer.text.slice(0, 2000) };
  const message = body.message ?? 'the key was refused';
  const code = body.code === undefined ? {} : { code: body.code };
  const param = body.param === undefined ? {} : { param: body.param };
  if (answer.header('x-roundhouse-pod') !== undefined) {
    return new UpstreamFailed('the server behind the model refused the call', { cause });
  }
  if (credentials === 'platform') {
    return new UpstreamFailed("the dispatcher refused the platform's own key", {
      code: ownKeyRefused,
      cause,
    });
  }
  if (answer.status === 403) return new Forbidden(message, { ...code, ...param, cause });
  return new Unauthenticated(message, { ...code, cause, headers: { 'www-authenticate': 'Bearer' } });
}

const statusByCode = new Map<string, number>([
  ['timeout', 504],
  ['rate_limit_exceeded', 429],
  ['pod_unavailable', 503],
  ['no_live_pod', 503],
  ['overloaded', 503],
  ['service_unavailable', 503],
]);

function statusOf({ code, type }: ErrorBody): number {
  const known = code === undefined ? undefined : statusByCode.get(code);
  if (known !== undefined) return known;
  // vLLM puts the status where OpenAI has a word.
  if (code !== undefined && /^[45]\d\d$/.test(code)) return Number(code);
  return type === 'invalid_request_error' || type === 'BadRequestError' ? 400 : 502;
}

/** `Retry-After` in seconds: a number, or a date. */
function secondsOf(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const seconds = /^\d+(\.\d+)?$/.test(header.trim()) ? Number(header) : (Date.parse(header) - now) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}

function rateLimitHeaders(answer: FailedAnswer): Record<string, string> {
  const found: Record<string, string> = {};
  for (const what of ['limit', 'remaining', 'reset']) {
    for (const kind of ['requests', 'tokens', 'parallel-requests']) {
      const name = `x-ratelimit-${what}-${kind}`;
      const value = answer.header(name);
      if (value !== undefined) found[name] = value;
    }
  }
  return found;
}

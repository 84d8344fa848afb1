import { describe, expect, it } from 'vitest';
import { InvalidInput, type Problem } from '../../../contracts/problems.ts';
import type { Credentials } from './call-options.ts';
import { ownKeyRefused, problemInEvent, readProblem } from './read-problem.ts';

const callers: Credentials = { authorization: 'Bearer x' };
const now = Date.parse('2026-11-16T00:00:00Z');

function read(
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
  credentials = callers,
): Problem {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const found = new Map(Object.entries(headers));
  return readProblem({ status, header: (name) => found.get(name), text }, credentials, now);
}

const error = (message: string, code: string | number | null = null, param: string | null = null) => ({
  error: { message, type: 'x', param, code },
});

describe('readProblem', () => {
  it.each([
    [400, 'BadRequest', 'invalid_request'],
    [401, 'Unauthenticated', 'invalid_api_key'],
    [403, 'Forbidden', 'insufficient_permissions'],
    [404, 'NotFound', 'not_found'],
    [409, 'Conflict', 'conflict'],
    [413, 'PayloadTooLarge', 'payload_too_large'],
    [429, 'RateLimited', 'rate_limit_exceeded'],
    [503, 'Unavailable', 'service_unavailable'],
    [504, 'DeadlineExceeded', 'timeout'],
    // These say nothing that the platform's own caller could act upon.
    [302, 'UpstreamFailed', 'upstream_error'],
    [405, 'UpstreamFailed', 'upstream_error'],
    [418, 'UpstreamFailed', 'upstream_error'],
    [500, 'UpstreamFailed', 'upstream_error'],
    [502, 'UpstreamFailed', 'upstream_error'],
  ])('%i is %s', (status, name, code) => {
    expect(read(status, error('words'))).toMatchObject({ name, code, message: 'words' });
  });

  it('keeps code, param and the text of every shape of error', () => {
    const model = read(404, error("model 'x' was not found", 'model_not_found', 'model'));
    expect(model).toMatchObject({
      code: 'model_not_found',
      param: 'model',
      message: "model 'x' was not found",
    });
    expect(read(400, { detail: 'in detail' }).message).toBe('in detail');
    expect(read(400, { error: 'plain' }).message).toBe('plain');
    expect(read(400, { object: 'error', message: 'bare', code: 400 }).message).toBe('bare');
    expect(read(400, '<html>').message).toBe('the dispatcher answered 400');
    expect(read(400, 'null').message).toBe('the dispatcher answered 400');
  });

  it('keeps the issues of input that fails validation', () => {
    const problem = read(422, {
      detail: [{ loc: ['body', 'input'], msg: 'Field required', type: 'missing', url: 'x' }],
    });
    expect(problem).toBeInstanceOf(InvalidInput);
    expect((problem as InvalidInput).issues).toEqual([
      { loc: ['body', 'input'], msg: 'Field required', type: 'missing' },
    ]);
    expect(read(422, { detail: 'no' })).toMatchObject({ name: 'BadRequest' });
  });

  it('keeps Retry-After, as a number or a date, and the headers of limits', () => {
    const limits = { 'x-ratelimit-limit-requests': '5', 'x-ratelimit-reset-parallel-requests': '12s' };
    expect(read(429, error('slow'), { 'retry-after': '12', ...limits })).toMatchObject({
      retryAfter: 12,
      headers: limits,
    });
    expect(read(503, '', { 'retry-after': 'Mon, 16 Nov 2026 00:00:09 GMT' }).retryAfter).toBe(9);
    expect(read(503, '', { 'retry-after': 'soon' }).retryAfter).toBeUndefined();
  });

  it('passes no refusal of another server off as ours', () => {
    for (const status of [401, 403]) {
      const own = read(status, error('secret reason'), {}, 'platform');
      expect(own).toMatchObject({ name: 'UpstreamFailed', code: ownKeyRefused });
      const pods = read(status, error('secret reason'), { 'x-roundhouse-pod': 'p' });
      expect(pods).toMatchObject({ name: 'UpstreamFailed' });
      expect(own.message + pods.message).not.toContain('secret');
    }
  });
});

describe('problemInEvent', () => {
  it.each([
    ['pod_unavailable', 'Unavailable'],
    ['timeout', 'DeadlineExceeded'],
    [400, 'BadRequest'],
    ['__proto__', 'UpstreamFailed'],
    [null, 'UpstreamFailed'],
  ])('%s is %s', (code, name) => {
    expect(problemInEvent(JSON.stringify(error('words', code)))).toMatchObject({ name, message: 'words' });
  });

  it('takes any text', () => {
    expect(problemInEvent('gone')).toMatchObject({ name: 'UpstreamFailed' });
  });
});

import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Conflict, NotFound, RateLimited, Unavailable, UpstreamFailed } from '../../contracts/problems.ts';
import type { ErrorShape } from '../../contracts/surfaces.ts';
import { createLogger, silentLogger } from '../telemetry/logger.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import type { KeyHolder } from './access.ts';
import { type AppOptions, type BuiltApp, buildApp } from './build-app.ts';
import type { Service } from './service.ts';

const Order = z
  .strictObject({ model: z.string(), size: z.int().min(1).default(1), kind: z.enum(['a', 'b']).optional() })
  .meta({ id: 'TestOrder' });

const surfaces: [string, ErrorShape][] = [
  ['/openai', 'openai'],
  ['/dispatcher', 'dispatcher'],
  ['/management', 'management'],
  ['/deployed', 'management-inference'],
  ['/layout', 'layout'],
  ['/index', 'index'],
];

const sample: Service = {
  name: 'sample',
  title: 'Sample',
  description: 'A service for tests.',
  docs: '/sample/docs',
  surfaces: surfaces.map(([prefix, shape]) => ({ prefix, shape })),
  access: { scope: 'inference', openable: true },
  routes(app) {
    for (const [prefix] of surfaces) {
      app.post(`${prefix}/orders/`, { schema: { body: Order } }, (request) => ({
        got: request.body,
        caller: request.caller.kind,
      }));
      app.get(
        `${prefix}/items/:id`,
        {
          schema: {
            params: z.object({ id: z.string() }),
            querystring: z.object({ n: z.coerce.number().int().optional() }),
          },
        },
        (request) => {
          if (request.params.id === 'busy') throw new Conflict('the item is busy');
          if (request.params.id === 'limited')
            throw new RateLimited('too many', {
              retryAfter: 7,
              headers: { 'x-ratelimit-limit-requests': '1' },
            });
          if (request.params.id === 'broken') throw new Error('secret detail');
          if (request.params.id === 'early') throw new Unavailable('not ready yet');
          if (request.params.id === 'away')
            throw new UpstreamFailed('the other server failed', { cause: new Error('reset') });
          throw new NotFound('item', request.params.id);
        },
      );
    }
    app.get(
      '/index/private',
      { config: { access: { scope: 'index:read', openable: false } } },
      () => 'secret',
    );
  },
};

const keys: Record<string, KeyHolder> = {
  'rh-index': { kind: 'key', id: '1', name: 'one', owner: null, limits: {}, scopes: ['index'] },
  'rh-inference': { kind: 'key', id: '2', name: 'two', owner: null, limits: {}, scopes: ['inference'] },
};

let built: BuiltApp | undefined;
afterEach(() => built?.drain.close(0));

async function start(open = true, services: Service[] = [sample], more: Partial<AppOptions> = {}) {
  built = await buildApp({
    services,
    logger: silentLogger(),
    metrics: createMetrics({ version: '1.2.3', processMetrics: false }),
    access: { authenticate: (key) => keys[key], open },
    programVersion: '1.2.3',
    http: { body_limit: 1000, cors_origins: [] },
    parts: { database: () => ({ ready: true }) },
    ...more,
  });
  return built;
}

describe('every service', () => {
  it('answers with and without the trailing slash, without a redirect', async () => {
    const { app } = await start();
    for (const url of ['/openai/orders', '/openai/orders/']) {
      const answer = await app.inject({ method: 'POST', url, payload: { model: 'м' } });
      expect([answer.statusCode, answer.json()]).toEqual([
        200,
        { got: { model: 'м', size: 1 }, caller: 'anonymous' },
      ]);
    }
  });

  it('carries a request id: the caller’s own where it is fit, a new one where not', async () => {
    const { app } = await start();
    const own = await app.inject({ url: '/healthz', headers: { 'x-request-id': 'trace-1' } });
    expect(own.headers['x-request-id']).toBe('trace-1');
    const unfit = await app.inject({ url: '/nowhere', headers: { 'x-request-id': 'a b\tc' } });
    expect(unfit.headers['x-request-id']).toMatch(/^req_[0-9a-f]{24}$/);
  });

  it('sends security headers and no CORS headers by default', async () => {
    const { app } = await start();
    const { headers } = await app.inject({ url: '/healthz', headers: { origin: 'https://evil.example' } });
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
    });
    expect(headers['access-control-allow-origin']).toBeUndefined();
  });

  it('logs only its own faults as errors, and expected states without a stack', async () => {
    const lines: string[] = [];
    const write = (line: string) => void lines.push(line);
    const logger = createLogger({ level: 'info', format: 'json', name: 'test', destination: { write } });
    const { app } = await start(true, [sample], { logger });
    for (const id of ['early', 'away', 'broken']) await app.inject(`/index/items/${id}`);
    const logged = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg !== 'request');
    expect(logged.map(({ level, msg, err }) => [level, msg, err?.message])).toEqual([
      ['info', 'not ready yet', undefined],
      ['warn', 'the other server failed', 'reset'],
      ['error', expect.stringContaining('internal error'), 'secret detail'],
    ]);
  });

  it('serves health, readiness and metrics to anyone', async () => {
    const { app } = await start(false);
    expect((await app.inject('/healthz')).json()).toEqual({ status: 'ok' });
    expect((await app.inject('/readyz/')).json()).toEqual({
      status: 'ready',
      parts: { database: { ready: true } },
    });
    const metrics = (await app.inject('/metrics')).body;
    expect(metrics).toContain(
      'roundhouse_http_request_duration_seconds_count{method="GET",route="/healthz",status="200"} 1',
    );
  });

  it('says which part does not answer, and asks it only once while it hangs', async () => {
    let asked = 0;
    const ready = () => new Promise<never>(() => void asked++);
    const { app } = await start(true, [{ ...sample, ready }]);
    const answers = await Promise.all([app.inject('/readyz'), app.inject('/readyz')]);
    for (const answer of answers) {
      expect(answer.statusCode).toBe(503);
      expect(answer.json().parts.sample).toEqual({ ready: false, detail: 'no answer within 2 s' });
    }
    expect(asked).toBe(1);
  });

  it('says which part is not ready', async () => {
    const { app } = await start(true, [{ ...sample, ready: () => Promise.reject(new Error('no disk')) }]);
    const answer = await app.inject('/readyz');
    expect(answer.statusCode).toBe(503);
    expect(answer.json()).toMatchObject({
      status: 'not ready',
      parts: { sample: { ready: false, detail: 'no disk' } },
    });
  });
});

/** One row for each surface: status and body for the same faults. */
const expected: Record<
  ErrorShape,
  { invalid: [number, unknown]; text: (status: number, message: string, code: string) => unknown }
> = {
  openai: {
    invalid: [400, { error: { type: 'invalid_request_error', param: 'model', code: 'invalid_request' } }],
    text: openai,
  },
  dispatcher: {
    invalid: [
      422,
      {
        detail: [{ loc: ['body', 'model'], msg: 'Field required', type: 'missing' }],
        error: { message: 'body.model: Field required', param: 'model', code: 'invalid_request' },
      },
    ],
    text: openai,
  },
  management: {
    invalid: [422, { detail: [{ loc: ['body', 'model'], msg: 'Field required', type: 'missing' }] }],
    text: (_status, message) => ({ detail: message }),
  },
  'management-inference': {
    invalid: [
      422,
      {
        detail: [{ loc: ['body', 'model'], msg: 'Field required', type: 'missing' }],
        error: { message: 'body.model: Field required', param: 'model', code: 'invalid_request' },
      },
    ],
    text: (status, message, code) => ({ detail: message, ...openai(status, message, code) }),
  },
  layout: {
    invalid: [422, { detail: [{ loc: ['body', 'model'], msg: 'Field required', type: 'missing' }] }],
    text: (_status, message) => ({ detail: message }),
  },
  index: {
    invalid: [422, { error: 'body.model: Field required' }],
    text: (_status, message) => ({ error: message }),
  },
};

function openai(status: number, message: string, code: string) {
  const type = status >= 500 ? 'server_error' : status === 429 ? 'rate_limit_error' : 'invalid_request_error';
  return { error: { message, type, param: null, code } };
}

describe.each(surfaces)('errors below %s', (prefix, shape) => {
  const { invalid, text } = expected[shape];

  it('input that fails validation', async () => {
    const { app } = await start();
    const answer = await app.inject({ method: 'POST', url: `${prefix}/orders`, payload: {} });
    expect(answer.statusCode).toBe(invalid[0]);
    expect(answer.json()).toMatchObject(invalid[1] as object);
  });

  it.each([
    ['missing', 404, "item 'missing' was not found", 'not_found'],
    ['busy', 409, 'the item is busy', 'conflict'],
    ['limited', 429, 'too many', 'rate_limit_exceeded'],
    ['broken', 500, 'internal error; see the server log for this request id', 'internal_error'],
  ])('%s', async (id, status, message, code) => {
    const { app } = await start();
    const answer = await app.inject({ url: `${prefix}/items/${id}` });
    expect([answer.statusCode, answer.json()]).toEqual([status, text(status, message, code)]);
    if (status === 429)
      expect(answer.headers).toMatchObject({ 'retry-after': '7', 'x-ratelimit-limit-requests': '1' });
  });

  it('an unknown path, a wrong method, a wrong type, a body too large, a body that is not JSON', async () => {
    const { app } = await start();
    const send = (method: 'GET' | 'POST' | 'DELETE', path: string, headers = {}, payload?: string) =>
      app.inject({ method, url: prefix + path, headers, payload: payload as string });
    const json = { 'content-type': 'application/json' };
    const unknown = await send('GET', '/nowhere?x=1');
    expect([unknown.statusCode, unknown.json()]).toEqual([
      404,
      text(404, `path '${prefix}/nowhere' was not found`, 'not_found'),
    ]);
    const method = await send('DELETE', '/orders/');
    expect([method.statusCode, method.headers.allow]).toEqual([405, 'OPTIONS, POST']);
    expect(method.json()).toEqual(text(405, 'DELETE is not allowed here; use POST', 'method_not_allowed'));
    const type = await send(
      'POST',
      '/orders',
      { 'content-type': 'application/x-www-form-urlencoded' },
      'a=b',
    );
    expect([type.statusCode, type.json()]).toEqual([
      415,
      text(415, 'send the request body as application/json', 'unsupported_media_type'),
    ]);
    const large = await send('POST', '/orders', json, JSON.stringify({ model: 'x'.repeat(2000) }));
    expect([large.statusCode, large.json()]).toEqual([
      413,
      text(413, 'the request body is larger than this server accepts', 'payload_too_large'),
    ]);
    const broken = await send('POST', '/orders', json, '{"model": ');
    expect(broken.statusCode).toBe(shape === 'openai' || shape === 'index' ? 400 : 422);
    expect(JSON.stringify(broken.json())).toContain('not valid JSON');
  });
});

describe('validation in FastAPI’s words', () => {
  it.each([
    [{ model: 5 }, ['body', 'model'], 'Input should be a valid string', 'string_type'],
    [
      { model: 'm', size: 0 },
      ['body', 'size'],
      'Input should be greater than or equal to 1',
      'greater_than_equal',
    ],
    [{ model: 'm', size: 1.5 }, ['body', 'size'], 'Input should be a valid integer', 'int_type'],
    [{ model: 'm', kind: 'c' }, ['body', 'kind'], "Input should be 'a' or 'b'", 'enum'],
    [{ model: 'm', colour: 1 }, ['body', 'colour'], 'Extra inputs are not permitted', 'extra_forbidden'],
    [undefined, ['body'], 'Field required', 'missing'],
  ])('%j', async (payload, loc, msg, type) => {
    const { app } = await start();
    const headers = payload ? {} : { 'content-type': 'application/json' };
    const answer = await app.inject({
      method: 'POST',
      url: '/dispatcher/orders',
      headers,
      payload: payload as object,
    });
    expect(answer.json().detail).toEqual([{ loc, msg, type }]);
  });

  it('no body is no body, whatever type it is said to have', async () => {
    const { app } = await start();
    const answer = await app.inject({
      method: 'POST',
      url: '/dispatcher/orders',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '0' },
    });
    expect([answer.statusCode, answer.json()]).toMatchObject([
      422,
      { detail: [{ loc: ['body'], msg: 'Field required', type: 'missing' }] },
    ]);
  });

  it('names query parameters', async () => {
    const { app } = await start();
    const answer = await app.inject('/dispatcher/items/1?n=abc');
    expect(answer.json().detail[0]).toMatchObject({ loc: ['query', 'n'] });
  });
});

describe('who may call', () => {
  it('open mode lets anyone in, an unknown key too, but not where a key is always needed', async () => {
    const { app } = await start(true);
    const order = (authorization?: string) =>
      app.inject({
        method: 'POST',
        url: '/openai/orders',
        payload: { model: 'm' },
        headers: authorization ? { authorization } : {},
      });
    expect((await order()).json().caller).toBe('anonymous');
    expect((await order('Bearer sk-dummy')).json().caller).toBe('anonymous');
    expect((await order('Bearer rh-inference')).json().caller).toBe('key');
    expect((await app.inject('/index/private')).statusCode).toBe(401);
  });

  it('closed mode: 401 without a key or with a bad one, 403 without the scope, the bare key works', async () => {
    const { app } = await start(false);
    const get = (authorization?: string) =>
      app.inject({ url: '/index/private', headers: authorization ? { authorization } : {} });
    const missing = await get();
    expect([missing.statusCode, missing.headers['www-authenticate']]).toEqual([401, 'Bearer']);
    expect((await get('Bearer rh-unknown')).statusCode).toBe(401);
    expect((await get('Bearer rh-inference')).statusCode).toBe(403);
    expect((await get('rh-index')).statusCode).toBe(200);
    expect(
      (await app.inject({ method: 'POST', url: '/openai/orders', payload: { model: 'm' } })).statusCode,
    ).toBe(401);
  });
});

describe('the reference', () => {
  it('describes what is mounted and nothing else, from this process alone', async () => {
    const { app, openapi } = await start(false);
    const document = openapi.get('sample')?.() as {
      openapi: string;
      info: object;
      paths: Record<string, Record<string, unknown>>;
      components: { schemas: object };
    };
    expect(document.openapi).toBe('3.1.0');
    expect(document.info).toMatchObject({ title: 'Sample', version: '1.2.3' });
    expect(Object.keys(document.paths)).toHaveLength(13);
    expect(Object.keys(document.paths['/openai/orders/'] ?? {})).toEqual(['post']);
    const schemas = ['DetailError', 'HTTPValidationError', 'IndexError', 'InferenceError', 'OpenAIError'];
    expect(Object.keys(document.components.schemas)).toEqual([...schemas, 'TestOrder', 'ValidationError']);
    const statuses = (path: string, method: string) => {
      const operation = document.paths[path]?.[method] as { responses: Record<string, object> };
      expect(operation).not.toHaveProperty('x-access');
      return Object.keys(operation.responses).filter((status) => status >= '400');
    };
    expect(statuses('/openai/orders/', 'post')).toEqual(['400', '401', '403', '404', '413', '429', '503']);
    expect(statuses('/management/items/{id}', 'get')).toEqual(['401', '403', '404', '422', '503']);
    expect(statuses('/index/private', 'get')).toEqual(['401', '403', '503']);
    const page = await app.inject('/sample/docs/');
    expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.body).not.toMatch(/(?:src|href)="https?:/);
  });
});

describe('closing', () => {
  it('lets a running answer end, refuses new work, and closes idle connections', async () => {
    let finish: (() => void) | undefined;
    const slow: Service = {
      ...sample,
      routes: (app) =>
        void app.get(
          '/slow',
          () =>
            new Promise((resolve) => {
              finish = () => resolve({ done: true });
            }),
        ),
    };
    const { app, drain } = await start(true, [slow]);
    const address = await app.listen({ port: 0 });
    const idle = connect(Number(new URL(address).port), '127.0.0.1');
    const gone = new Promise((resolve) => idle.on('close', resolve));
    const running = fetch(`${address}/slow`);
    while (!finish) await new Promise((resolve) => setTimeout(resolve, 5));
    const closing = drain.close(20_000);
    expect(drain.draining()).toBe(true);
    await expect(fetch(`${address}/healthz`)).rejects.toThrow();
    finish();
    expect(await (await running).json()).toEqual({ done: true });
    await Promise.all([closing, gone]);
  });

  it('cuts what outlives the limit', async () => {
    const { app, drain } = await start(true, [
      { ...sample, routes: (app) => void app.get('/never', () => new Promise(() => {})) },
    ]);
    const address = await app.listen({ port: 0 });
    const running = fetch(`${address}/never`).catch((error: Error) => error);
    await new Promise((resolve) => app.server.once('request', resolve));
    await drain.close(50);
    expect(await running).toBeInstanceOf(Error);
  });
});

describe('GET /metrics', () => {
  it.each([
    ['public', 200],
    ['key', 401],
    ['off', 404],
  ] as const)('%s: %i without a key', async (metricsFor, status) => {
    const { app } = await start(true, [sample], { metricsFor });
    expect((await app.inject('/metrics')).statusCode).toBe(status);
  });

  it('403 with a key that is not an admin key', async () => {
    const { app } = await start(true, [sample], { metricsFor: 'key' });
    const headers = { authorization: 'Bearer rh-inference' };
    expect((await app.inject({ url: '/metrics', headers })).statusCode).toBe(403);
  });
});

describe('a body over the limit', () => {
  const large = 'x'.repeat(3_000_000);
  it.each([
    ['of known length', () => large],
    ['in chunks', () => new Blob([large]).stream()],
  ])('%s: the client can read the 413, and use the connection again', async (_title, body) => {
    const { app } = await start();
    const url = `${await app.listen({ host: '127.0.0.1', port: 0 })}/openai/orders`;
    const headers = { 'content-type': 'application/json' };
    for (let time = 0; time < 5; time++) {
      const init = { method: 'POST', headers, body: body(), duplex: 'half' };
      const answer = await fetch(url, init as RequestInit);
      expect(answer.status).toBe(413);
      expect(answer.headers.get('connection')).not.toBe('close');
      expect(await answer.json()).toMatchObject({ error: { code: 'payload_too_large' } });
    }
  });
});

describe('methods', () => {
  it('204 to OPTIONS and 405 to TRACE, with what is allowed', async () => {
    const { app } = await start();
    const options = await app.inject({ method: 'OPTIONS', url: '/openai/orders/' });
    expect(options.statusCode).toBe(204);
    expect(options.headers).toMatchObject({ allow: 'OPTIONS, POST', 'x-request-id': expect.any(String) });
    const trace = await app.inject({ method: 'TRACE' as 'GET', url: '/openai/orders' });
    expect(trace.statusCode).toBe(405);
    expect(trace.headers.allow).toBe('OPTIONS, POST');
    expect((await app.inject({ method: 'OPTIONS', url: '/openai/nothing' })).statusCode).toBe(404);
  });

  it('browsers of allowed origins may use them all', async () => {
    const http = { body_limit: 1000, cors_origins: ['https://friend.example'] };
    const { app } = await start(true, [sample], { http });
    const ask = (origin: string) =>
      app.inject({
        method: 'OPTIONS',
        url: '/openai/orders/',
        headers: { origin, 'access-control-request-method': 'DELETE' },
      });
    const allowed = await ask('https://friend.example');
    expect(allowed.statusCode).toBe(204);
    expect(allowed.headers['x-request-id']).toBeTruthy();
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
      expect(allowed.headers['access-control-allow-methods']).toContain(method);
    expect((await ask('https://evil.example')).headers['access-control-allow-origin']).toBeUndefined();
  });
});

import { afterEach, describe, expect, it } from 'vitest';
import { buildTestApp } from '../../../../test/testkit/app.ts';
import { RawCaller } from '../../../../test/testkit/attacks/raw-caller.ts';
import { startMockPod } from '../../../../test/testkit/pods/mock-pod.ts';
import { openTemporaryDatabase } from '../../../../test/testkit/stores/open-database.ts';
import { until } from '../../../../test/testkit/until.ts';
import { platformActor } from '../../../contracts/actor.ts';
import type { ApiKeyRequest } from '../../../contracts/api-keys.ts';
import { systemClock } from '../../../contracts/clock.ts';
import type { InferenceSurface } from '../../../contracts/surfaces.ts';
import { createKey } from '../../auth/keys/create-key.ts';
import { openMetering } from '../../metering/open-metering.ts';
import { silentLogger } from '../../telemetry/logger.ts';
import { addInferenceRoutes } from '../inference-routes.ts';
import { httpTransport } from '../sending/http-transport.ts';
import { remoteFront } from './remote-front.ts';
import type { LocalLimits } from './remote-limits.ts';

const opened: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

const access = { scope: 'inference', openable: true } as const;

/** A process without a dispatcher that serves `/v1/completions` by asking one. */
async function serve(
  dispatcherUrl: string,
  surface: Partial<InferenceSurface> = {},
  { local, ownKey }: { local?: LocalLimits; ownKey?: string } = {},
) {
  const transport = httpTransport(dispatcherUrl);
  const front = remoteFront({
    url: dispatcherUrl,
    sender: { transport, ownKey },
    bodyLimit: 1000,
    aliases: new Map(),
    local,
  });
  opened.push(
    () => transport.close(),
    () => front.close(),
  );
  const served = front.addSurface({ prefix: '', shape: 'openai', access, aliases: new Map(), ...surface });
  const { app, deps, close } = await buildTestApp(() => [
    {
      name: 'inference',
      title: 'inference',
      description: 'inference',
      access,
      surfaces: [{ prefix: '/v1', shape: 'openai' }],
      routes: (app) => addInferenceRoutes(app, '', ['/v1/completions'], () => served),
    },
  ]);
  opened.push(close);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const complete = (body: string) =>
    fetch(`${url}/v1/completions`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  return { url, app, deps, complete };
}

describe('a surface whose dispatcher runs in another process', () => {
  it('sends requests to the dispatcher alone, whatever host their targets name', async () => {
    const [dispatcher, elsewhere] = [
      await startMockPod((_request, response) => void response.end('{}')),
      await startMockPod(),
    ];
    opened.push(dispatcher.kill, elsewhere.kill);
    const { url } = await serve(dispatcher.url);
    const targets = [
      `${elsewhere.url}/v1/completions`,
      `//127.0.0.1:${elsewhere.port}/v1/completions`,
      '/v1/completions',
    ];
    for (const target of targets) {
      const caller = new RawCaller(url);
      caller.send(`POST ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}`);
      expect([200, 404]).toContain((await caller.answer())?.status);
      caller.destroy();
    }
    expect(elsewhere.requests).toEqual([]);
    expect(dispatcher.requests.map(({ path }) => path)).toContain('/v1/completions');
  });

  it('resolves the names of its surface, and leaves every other byte alone', async () => {
    const dispatcher = await startMockPod((_request, response) => void response.end('{}'));
    opened.push(dispatcher.kill);
    const { complete } = await serve(dispatcher.url, { aliases: new Map([['old', 'new']]), only: ['new'] });
    expect((await complete('{"model": "old", "seed": 12345678901234567890}')).status).toBe(200);
    expect(dispatcher.requests.map(({ body }) => body.toString())).toEqual([
      '{"model": "new", "seed": 12345678901234567890}',
    ]);
    for (const model of ['other', 'constructor', '__proto__']) {
      expect((await complete(JSON.stringify({ model }))).status).toBe(404);
    }
  });

  it('503 while the dispatcher does not answer, 413 for a body over the limit', async () => {
    const { complete } = await serve('http://127.0.0.1:1');
    const down = await complete('{"model":"m"}');
    expect(down.status).toBe(503);
    expect(down.headers.get('retry-after')).toBe('5');
    expect(await down.json()).toMatchObject({ error: { code: 'service_unavailable' } });
    expect((await complete(JSON.stringify({ model: 'm', prompt: 'x'.repeat(2000) }))).status).toBe(413);
  });

  it.each([
    ['openai', 400, { error: { type: 'invalid_request_error', param: 'prompt' } }],
    ['management', 422, { detail: [{ loc: ['body', 'prompt'] }] }],
    ['index', 422, { error: 'body.prompt: Field required' }],
  ] as const)('answers a refusal of the dispatcher in the %s shape', async (shape, status, body) => {
    const detail = [{ loc: ['body', 'prompt'], msg: 'Field required', type: 'missing' }];
    const dispatcher = await startMockPod((_request, response) => {
      response.writeHead(422, { 'content-type': 'application/json' }).end(JSON.stringify({ detail }));
    });
    opened.push(dispatcher.kill);
    const { complete } = await serve(dispatcher.url, { shape });
    const answer = await complete('{"model":"m"}');
    expect(answer.status).toBe(status);
    expect(answer.headers.get('x-request-id')).toBeTruthy();
    expect(await answer.json()).toMatchObject(body);
  });

  it('passes 429 on with its headers', async () => {
    const dispatcher = await startMockPod((_request, response) => {
      response
        .writeHead(429, { 'retry-after': '7', 'x-ratelimit-limit-requests': '1' })
        .end('{"error":{"message":"slow down","code":"rate_limit_exceeded"}}');
    });
    opened.push(dispatcher.kill);
    const { complete } = await serve(dispatcher.url);
    const answer = await complete('{"model":"m"}');
    expect(answer.status).toBe(429);
    expect(answer.headers.get('retry-after')).toBe('7');
    expect(answer.headers.get('x-ratelimit-limit-requests')).toBe('1');
  });
});

describe('a surface whose dispatcher has another database', () => {
  const token = 'rh-0123456789012345678901234567890123456789';
  const start = async (ownKey: string | undefined = token) => {
    const dispatcher = await startMockPod();
    opened.push(dispatcher.kill);
    const database = await openTemporaryDatabase();
    const metering = await openMetering({ database, clock: systemClock, logger: silentLogger() });
    opened.push(
      () => database.close(),
      () => metering.close(),
    );
    const { app, deps } = await serve(dispatcher.url, {}, { local: metering, ownKey });
    const keyWith = async (limits: ApiKeyRequest['limits']) =>
      (await createKey(deps, platformActor('test'), { name: 'k', scopes: ['inference'], limits })).key;
    const ask = async (key: string, body: object = {}) => {
      const response = await app.inject({
        method: 'POST',
        url: '/v1/completions',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        payload: { model: 'm', prompt: 'Hi', ...body },
      });
      return response.statusCode;
    };
    return { dispatcher, metering, keyWith, ask };
  };

  it("holds callers to their keys' limits and vouches for them with its own key", async () => {
    const { dispatcher, keyWith, ask } = await start();
    const key = await keyWith({ parallel_requests: 1, models: ['m'] });
    expect(await ask(key, { model: 'other' })).toBe(403);
    const finish: (() => void)[] = [];
    dispatcher.answer = (_request, response) => void finish.push(() => response.end('{}'));
    const first = ask(key);
    await until('it runs', () => finish.length === 1);
    expect(await ask(key)).toBe(429);
    finish[0]?.();
    expect(await first).toBe(200);
    expect(dispatcher.requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${token}`]);
  });

  it('counts the tokens of answers, also of streams that do not report them', async () => {
    const { dispatcher, metering, keyWith, ask } = await start();
    const key = await keyWith({ tokens_per_month: 30 });
    dispatcher.answer = (_request, response) =>
      void response.end('{"usage":{"prompt_tokens":10,"completion_tokens":10}}');
    expect(await ask(key)).toBe(200);
    dispatcher.answer = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`${'data: {}\n\n'.repeat(20)}data: [DONE]\n\n`);
    };
    expect(await ask(key)).toBe(200);
    expect(await ask(key)).toBe(429);
    const [usage] = metering.usage.take();
    expect(usage).toMatchObject({ requests: 2, model: 'm', pod: 'dispatcher', completion_tokens: 30 });
  });

  it('counts nothing for a refusal of the dispatcher', async () => {
    const { dispatcher, keyWith, ask } = await start();
    const key = await keyWith({ tokens_per_month: 100 });
    dispatcher.answer = (_request, response) => void response.writeHead(503).end('{}');
    for (let n = 0; n < 3; n++) expect(await ask(key, { max_tokens: 100 })).toBe(503);
  });

  it('leaves callers without a key to the dispatcher', async () => {
    const { dispatcher, ask } = await start();
    expect(await ask('unknown here')).toBe(200);
    expect(dispatcher.requests[0]?.headers.authorization).toBe('Bearer unknown here');
  });
});

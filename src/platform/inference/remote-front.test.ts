import { afterEach, describe, expect, it } from 'vitest';
import { buildTestApp } from '../../../test/testkit/app.ts';
import { startMockPod } from '../../../test/testkit/mock-pod.ts';
import { RawCaller } from '../../../test/testkit/raw-caller.ts';
import type { InferenceSurface } from '../../contracts/surfaces.ts';
import { addInferenceRoutes } from '../../management/inference/routes.ts';
import { remoteFront } from './remote-front.ts';
import { httpTransport } from './sending/http-transport.ts';

const opened: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

const access = { scope: 'inference', openable: true } as const;

/** A process without a dispatcher that serves `/v1/completions` by asking one. */
async function serve(dispatcherUrl: string, surface: Partial<InferenceSurface> = {}) {
  const transport = httpTransport(dispatcherUrl);
  const front = remoteFront({
    url: dispatcherUrl,
    sender: { transport, ownKey: undefined },
    bodyLimit: 1000,
  });
  opened.push(
    () => transport.close(),
    () => front.close(),
  );
  const served = front.addSurface({ prefix: '', shape: 'openai', access, aliases: new Map(), ...surface });
  const { app, close } = await buildTestApp(() => [
    {
      name: 'inference',
      title: 'inference',
      description: 'inference',
      access,
      surfaces: [{ prefix: '/v1', shape: 'openai' }],
      routes: (app) => addInferenceRoutes(app, '', ['/v1/completions'], served),
    },
  ]);
  opened.push(close);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const complete = (body: string) =>
    fetch(`${url}/v1/completions`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  return { url, complete };
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

import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RawCaller, rawPost } from '../testkit/attacks/raw-caller.ts';
import { type RunningDispatcher, startDispatcher } from '../testkit/dispatcher.ts';
import { answerChat, chatAnswer, chatEvent, type MockPod, startMockPod } from '../testkit/pods/mock-pod.ts';
import { until, untilStill } from '../testkit/until.ts';

const path = '/v1/chat/completions';
const ask = (content: string, more: Record<string, unknown> = {}) =>
  JSON.stringify({ model: 'mock', messages: [{ role: 'user', content }], ...more });

describe('a connection to the front door', () => {
  let dispatcher: RunningDispatcher;
  let closed: RunningDispatcher;
  let crossing: RunningDispatcher;
  let pod: MockPod;
  let key: string;

  beforeAll(async () => {
    [dispatcher, closed, crossing, pod] = await Promise.all([
      startDispatcher(),
      startDispatcher({ closed: true }),
      startDispatcher({ config: { http: { cors_origins: ['https://a.example'] } } }),
      startMockPod(),
    ]);
    ({ key } = await closed.key());
    const admin = (await closed.key({}, ['admin'])).key;
    for (const open of [dispatcher, crossing]) {
      await open.report({ pod_id: 'p', model_name: 'mock', pod_address: pod.url });
    }
    await fetch(`${closed.url}/pods-info/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${admin}` },
      body: JSON.stringify({ pod_id: 'p', model_name: 'mock', pod_address: pod.url }),
    });
  });
  afterAll(async () => {
    await Promise.all([dispatcher?.close(), closed?.close(), crossing?.close()]);
    await pod?.kill();
  });
  beforeEach(() => {
    pod.requests.length = 0;
    pod.answer = answerChat;
  });

  /** What the pod was asked, in order. */
  const asked = () => pod.requests.map(({ body }) => JSON.parse(body.toString()).messages[0].content);

  it('takes nothing that follows a refused request for another one', async () => {
    const hidden = rawPost(path, ask('smuggled'), [`authorization: Bearer ${key}`]);
    const caller = new RawCaller(closed.url);
    const [head = ''] = rawPost(path, hidden).toString('latin1').split('\r\n\r\n');
    caller.send(`${head}\r\n\r\n`);
    const refused = await caller.answer();
    expect(refused?.status).toBe(401);
    expect(refused?.headers.get('connection')).toBe('close');
    caller.send(hidden);
    await caller.closed;
    caller.socket.end();
    // Whatever became of it has reached the pod before this.
    const good = new RawCaller(closed.url).send(rawPost(path, ask('good'), [`authorization: Bearer ${key}`]));
    expect((await good.answer())?.status).toBe(200);
    good.destroy();
    expect(asked()).toEqual(['good']);
  });

  it('lets a caller that sends all before it reads have its refusal', async () => {
    const caller = new RawCaller(closed.url);
    const request = rawPost(path, ask('x'.repeat(4_000_000)));
    caller.socket.pause();
    for (let at = 0; at < request.length; at += 200_000) {
      await new Promise<void>((resolve, reject) => {
        const sent = (error?: Error | null) => (error ? reject(error) : resolve());
        caller.socket.write(request.subarray(at, at + 200_000), sent);
      });
    }
    caller.socket.resume();
    expect((await caller.answer())?.status).toBe(401);
    caller.destroy();
  });

  it.each([`http://elsewhere${path}`, `${path}#x`, '/v1/%63hat/completions', `${path}?x=1#y`])(
    'answers a request for %s',
    async (target) => {
      const caller = new RawCaller(dispatcher.url).send(rawPost(target, ask('here')));
      expect((await caller.answer())?.status).toBe(200);
      caller.destroy();
      expect(asked()).toEqual(['here']);
    },
  );

  it('answers requests in their order, however many are sent ahead', async () => {
    const count = 60;
    const content = (n: number) => `${n} ${'x'.repeat(5000)}`;
    const caller = new RawCaller(dispatcher.url);
    pod.answer = (request, response) =>
      void response.end(JSON.parse(request.body.toString()).messages[0].content);
    for (let n = 0; n < count; n++) caller.send(rawPost(path, ask(content(n))));
    for (let n = 0; n < count; n++) {
      const answer = await caller.answer();
      expect(answer?.body.toString()).toBe(content(n));
    }
    expect(asked()).toEqual(Array.from({ length: count }, (_, n) => content(n)));
    caller.destroy();
  });

  it('504 for a request whose time is over before it has come to its end, and nothing after it', async () => {
    const request = rawPost(path, ask('late'), ['x-request-timeout: 0.05']);
    const caller = new RawCaller(dispatcher.url).send(request.subarray(0, -5));
    const late = await caller.answer();
    expect([late?.status, late?.headers.get('connection')]).toEqual([504, 'close']);
    caller.send(request.subarray(-5), rawPost(path, ask('after')));
    await caller.closed;
    caller.destroy();
    expect((await dispatcher.chat()).status).toBe(200);
    expect(asked()).toEqual(['Hi']);
  });

  it('reads requests that come byte by byte', async () => {
    const caller = new RawCaller(dispatcher.url);
    for (const content of ['one', 'two']) {
      const request = rawPost(path, ask(content));
      await caller.sendSlowly(Array.from(request, (byte) => Buffer.from([byte])));
      expect((await caller.answer())?.status).toBe(200);
    }
    expect(asked()).toEqual(['one', 'two']);
    caller.destroy();
  });

  it('reads requests that are cut in two anywhere', async () => {
    const caller = new RawCaller(dispatcher.url);
    const request = rawPost(path, ask('cut'));
    for (let place = 1; place < request.length; place++) {
      await caller.sendSlowly([request.subarray(0, place), request.subarray(place)]);
      expect((await caller.answer())?.status).toBe(200);
    }
    expect(new Set(asked())).toEqual(new Set(['cut']));
    expect(pod.requests).toHaveLength(request.length - 1);
    caller.destroy();
  });

  it('serves good and bad requests in turn', async () => {
    const keyed = [`authorization: Bearer ${key}`];
    const caller = new RawCaller(closed.url);
    const turns = [
      [rawPost(path, ask('one'), keyed), 200],
      [rawPost(path, ask('no key')), 401],
      [rawPost(path, ask('other').replace('mock', 'other'), keyed), 404],
      [rawPost(path, '{"model":', keyed), 422],
      [rawPost(path, '', keyed), 422],
      [rawPost(path, ask('packed'), [...keyed, 'content-encoding: gzip']), 415],
      [rawPost('/v1/embeddings', JSON.stringify({ model: 'mock', input: 'x' }), keyed), 400],
      [rawPost(path, ask('two'), keyed), 200],
    ] as const;
    for (const [request, status] of turns) {
      const answer = await caller.send(request).answer();
      expect(answer?.status).toBe(status);
      expect(answer?.headers.get('connection')).toBe('keep-alive');
      expect(answer?.headers.get('x-request-id')).toBeTruthy();
    }
    expect(asked()).toEqual(['one', 'two']);
    caller.destroy();
  });

  it('goes over to Node for what is not ordinary, and serves on', async () => {
    const caller = new RawCaller(dispatcher.url);
    const get = 'GET /v1/models HTTP/1.1\r\nhost: localhost\r\n\r\n';
    const inChunks = `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`;
    const body = ask('in chunks');
    caller.send(rawPost(path, ask('one')), rawPost(path, ask('two')), get, rawPost(path, ask('three')));
    caller.send(inChunks, `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`, get);
    for (const status of [200, 200, 200, 200, 200, 200]) expect((await caller.answer())?.status).toBe(status);
    expect(asked()).toEqual(['one', 'two', 'three', 'in chunks']);
    caller.send(rawPost(path, ask('four')));
    expect((await caller.answer())?.body.toString()).toBe(JSON.stringify(chatAnswer));
    caller.destroy();
  });

  it.each([
    ['the lane', []],
    ['Node', ['expect: 100-continue']],
  ])('carries ids, origins and bytes both ways by %s', async (_title, headers) => {
    const text = 'Grüße, мир 🌍 \u2028 \xff';
    pod.answer = (request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain', 'x-own': 'Gr\xfc\xdfe' }).end(request.body);
    };
    const caller = new RawCaller(crossing.url);
    const sent = ask(text, { temperature: 0, stream: false });
    const own = ['origin: https://a.example', 'x-request-id: mine-1', 'x-own: Gr\xfc\xdfe'];
    caller.send(
      Buffer.from(
        rawPost(path, '', [...headers, ...own])
          .toString()
          .replace('length: 0', `length: ${Buffer.byteLength(sent)}`),
        'latin1',
      ),
      sent,
    );
    let answer = await caller.answer();
    if (answer?.status === 100) answer = await caller.answer();
    expect(answer?.body.toString()).toBe(sent);
    expect(Object.fromEntries(answer?.headers ?? [])).toMatchObject({
      'access-control-allow-origin': 'https://a.example',
      'access-control-expose-headers': 'x-request-id, x-roundhouse-pod',
      vary: 'Origin',
      'x-request-id': 'mine-1',
      'x-roundhouse-pod': 'p',
      'x-own': 'Gr\xfc\xdfe',
    });
    expect(pod.requests[0]?.headers).toMatchObject({ 'x-request-id': 'mine-1', 'x-own': 'Gr\xfc\xdfe' });
    const refused = await caller.send(rawPost(path, '{}', [...headers, ...own])).answer();
    const last = refused?.status === 100 ? await caller.answer() : refused;
    expect(last?.status).toBe(422);
    expect(last?.headers.get('access-control-allow-origin')).toBe('https://a.example');
    expect(last?.headers.get('x-request-id')).toBe('mine-1');
    caller.destroy();
  });

  it.each(['before the end of the head', 'within the body', 'before the answer', 'within the answer'])(
    'lets go of everything when its caller leaves %s',
    async (stage) => {
      pod.answer = (_request, response) => {
        if (stage !== 'within the answer') return;
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write(chatEvent('one'));
      };
      const request = rawPost(path, ask('leaving', { stream: true }));
      for (const leave of ['destroy', 'resetAndDestroy', 'end'] as const) {
        const before = pod.requests.length;
        const caller = new RawCaller(dispatcher.url);
        if (stage === 'before the end of the head') await caller.sendSlowly([request.subarray(0, 30)]);
        else if (stage === 'within the body') await caller.sendSlowly([request.subarray(0, -5)]);
        else {
          caller.send(request);
          await until('the pod is asked', () => pod.requests.length > before);
          if (stage === 'within the answer') await until('it begins', () => caller.received.length > 0);
        }
        caller.socket[leave]();
        await caller.closed;
        if (stage.endsWith('answer')) await until('the pod is told', () => pod.requests.at(-1)?.aborted);
        caller.destroy();
      }
      await until('the pod is free', async () => (await dispatcher.pods())[0]?.in_flight === 0);
      pod.answer = answerChat;
      expect((await dispatcher.chat()).status).toBe(200);
    },
  );

  it.each([
    ['short', 20_000, 1000],
    ['long', 200_000, 100],
  ])('asks for nothing more while its caller does not take its %s answers', async (_title, size, count) => {
    const body = randomBytes(size);
    pod.answer = (_request, response) => void response.end(body);
    const caller = new RawCaller(dispatcher.url);
    caller.socket.pause();
    for (let n = 0; n < count; n++) caller.send(rawPost(path, ask(`${n}`)));
    let before = -1;
    await until('no more is asked', async () => {
      const stalled = pod.requests.length === before && before > 0;
      before = pod.requests.length;
      await new Promise((resolve) => setTimeout(resolve, 200));
      return stalled;
    });
    expect(before).toBeLessThan(count);
    caller.socket.resume();
    for (let n = 0; n < count; n++) expect((await caller.answer())?.body.equals(body)).toBe(true);
    expect(asked()).toEqual(Array.from({ length: count }, (_, n) => `${n}`));
    caller.destroy();
  });

  it.each([
    ['a long answer', 'application/octet-stream'],
    ['a long stream of events', 'text/event-stream'],
  ])('holds the pod back for a slow reader of %s, which gets every byte', async (_title, type) => {
    const [size, count] = [50_000, 1000];
    const piece = (n: number) => Buffer.from(`data: ${String(n).padStart(size - 8)}\n\n`);
    let written = 0;
    pod.answer = async (_request, response) => {
      response.writeHead(200, { 'content-type': type });
      for (; written < count; written++) {
        if (!response.write(piece(written))) await once(response, 'drain');
      }
      response.end();
    };
    const caller = connect({ port: Number(new URL(dispatcher.url).port), host: '127.0.0.1' });
    caller.write(rawPost(path, ask('Hi', { stream: true })));
    await untilStill('the pod is held back', () => written);
    expect(written).toBeLessThan(count);
    const expected = createHash('sha256');
    for (let n = 0; n < count; n++) expected.update(piece(n));
    expect(await hashOfChunks(caller)).toBe(expected.digest('hex'));
    caller.destroy();
  });
});

describe('a server that closes', () => {
  it('ends what runs, closes what is idle, and waits for nobody else', async () => {
    const [dispatcher, pod] = await Promise.all([startDispatcher(), startMockPod(() => undefined)]);
    await dispatcher.report({ pod_id: 'p', model_name: 'mock', pod_address: pod.url });
    const answers: (() => void)[] = [];
    pod.answer = (_request, response) => void answers.push(() => response.end('done'));
    const [idle, silent, begun, busy] = Array.from({ length: 4 }, () => new RawCaller(dispatcher.url)) as [
      RawCaller,
      RawCaller,
      RawCaller,
      RawCaller,
    ];
    idle.send(rawPost(path, '{}'));
    expect((await idle.answer())?.status).toBe(422);
    begun.send('POST /v1/chat');
    busy.send(rawPost(path, ask('Hi')), rawPost(path, ask('too late')));
    await until('the pod is asked', () => answers.length === 1);
    const closing = dispatcher.close(60_000);
    await Promise.all([idle.closed, silent.closed, begun.closed]);
    expect(busy.isClosed).toBe(false);
    answers[0]?.();
    const last = await busy.answer();
    expect([last?.status, last?.body.toString()]).toEqual([200, 'done']);
    expect(last?.headers.get('connection')).toBe('close');
    expect(await busy.answer()).toBeUndefined();
    await closing;
    expect(pod.requests).toHaveLength(1);
    for (const caller of [idle, silent, begun, busy]) caller.destroy();
    await pod.kill();
  });
});

/** Reads an answer in chunks as it comes, and keeps nothing of it. */
async function hashOfChunks(socket: Socket): Promise<string> {
  const sum = createHash('sha256');
  let rest = Buffer.alloc(0);
  let inHead = true;
  for await (const bytes of socket) {
    rest = Buffer.concat([rest, bytes]);
    if (inHead) {
      const end = rest.indexOf('\r\n\r\n');
      if (end < 0) continue;
      rest = rest.subarray(end + 4);
      inHead = false;
    }
    for (let line = rest.indexOf('\r\n'); line >= 0; line = rest.indexOf('\r\n')) {
      const length = Number.parseInt(rest.toString('latin1', 0, line), 16);
      if (length === 0) return sum.digest('hex');
      if (rest.length < line + 2 + length + 2) break;
      sum.update(rest.subarray(line + 2, line + 2 + length));
      rest = rest.subarray(line + 2 + length + 2);
    }
  }
  throw new Error('the answer broke off');
}

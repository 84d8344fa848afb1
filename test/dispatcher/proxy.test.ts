import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type RunningDispatcher, startDispatcher } from '../testkit/dispatcher.ts';
import {
  answerChat,
  answerJson,
  chatAnswer,
  chatEvent,
  type MockPod,
  startMockPod,
} from '../testkit/pods/mock-pod.ts';
import { until, untilStill } from '../testkit/until.ts';

describe.each([
  { title: 'in front of the framework', withoutFront: false },
  { title: 'behind the framework', withoutFront: true },
])('proxied endpoints, $title', ({ withoutFront }) => {
  let dispatcher: RunningDispatcher;
  let pod: MockPod;

  beforeAll(async () => {
    dispatcher = await startDispatcher({ withoutFront });
    pod = await startMockPod();
  });
  afterAll(async () => {
    await dispatcher?.close();
    await pod?.kill();
  });
  beforeEach(async () => {
    pod.requests.length = 0;
    pod.answer = answerChat;
    await dispatcher.report({
      pod_id: 'llm-1',
      task: 'llm',
      model_name: 'org/mock-7b',
      served_model_name: 'mock',
      pod_address: pod.url,
      adapters: ['poet'],
    });
  });

  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(dispatcher.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });

  it.each(['/v1/chat/completions', '/v1/chat/completions/', '/v1/chat/completions?x=1'])(
    'POST %s passes the answer back, and says which pod gave it',
    async (path) => {
      const response = await post(path, { model: 'mock', messages: [] }, { 'x-request-id': 'mine-1' });
      expect(response.status).toBe(200);
      expect(response.headers.get('x-roundhouse-pod')).toBe('llm-1');
      expect(response.headers.get('x-request-id')).toBe('mine-1');
      expect(response.headers.get('content-type')).toBe('application/json');
      expect(await response.json()).toEqual(chatAnswer);
      expect(pod.requests[0]?.path).toBe('/v1/chat/completions');
      expect(pod.requests[0]?.headers['x-request-id']).toBe('mine-1');
    },
  );

  it('forwards the bytes as they came, with temperature and stream filled in', async () => {
    const sent =
      '{"model":"mock", "messages":[{"role":"user","content":"\\u00e9 ü"}],"unknown":{"a":[1,2.50]}}';
    await post('/v1/chat/completions', sent, { 'x-extra': 'kept', authorization: 'Bearer secret' });
    const [received] = pod.requests;
    expect(received?.body.toString()).toBe(`{"temperature":0.0,"stream":false,${sent.slice(1)}`);
    expect(received?.headers['x-extra']).toBe('kept');
    expect(received?.headers.authorization).toBeUndefined();
  });

  it('changes nothing where both are given, nor on endpoints that have none', async () => {
    const sent = '{"model":"mock","messages":[],"stream":false,"temperature":0.7}';
    await post('/v1/chat/completions', sent);
    expect(pod.requests[0]?.body.toString()).toBe(sent);
    await dispatcher.report({ pod_id: 'e', task: 'embeddings', model_name: 'emb', pod_address: pod.url });
    pod.answer = answerJson({ object: 'list', data: [] });
    await post('/v1/embeddings', '{"model":"emb","input":["a","b"]}');
    expect(pod.requests[1]?.body.toString()).toBe('{"model":"emb","input":["a","b"]}');
  });

  it('asks the pod by the name it knows, whichever name the caller used', async () => {
    await post('/v1/chat/completions', { model: 'org/mock-7b', messages: [{ role: 'user', content: 'x' }] });
    await post('/v1/chat/completions', { model: 'poet', messages: [] });
    expect(pod.requests.map((request) => JSON.parse(request.body.toString()).model)).toEqual([
      'mock',
      'poet',
    ]);
  });

  it('passes on the status, the headers and the body of a refusal', async () => {
    pod.answer = (_request, response) => {
      response
        .writeHead(429, { 'retry-after': '7', 'x-own': 'a', 'set-cookie': ['a=1', 'b=2'] })
        .end('slow down');
    };
    const response = await post('/v1/chat/completions', { model: 'mock', messages: [] });
    expect(response.status).toBe(429);
    expect(response.headers.get('retry-after')).toBe('7');
    expect(response.headers.get('x-own')).toBe('a');
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(await response.text()).toBe('slow down');
  });

  it('flushes each event as it arrives', async () => {
    let next: (text: string) => void = () => undefined;
    pod.answer = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      next = (text) => (text === '' ? response.end() : response.write(text));
      next(chatEvent('one'));
    };
    const response = await post('/v1/chat/completions', { model: 'mock', messages: [], stream: true });
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const read = async () => Buffer.from((await reader.read()).value ?? []).toString();
    expect(await read()).toBe(chatEvent('one'));
    next(chatEvent('two'));
    expect(await read()).toBe(chatEvent('two'));
    next('');
    expect((await reader.read()).done).toBe(true);
  });

  it('carries large bodies both ways, whole', async () => {
    const text = 'длинный '.repeat(150_000);
    pod.answer = (request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(request.body);
    };
    const response = await post('/v1/completions', {
      model: 'mock',
      prompt: text,
      temperature: 0,
      stream: false,
    });
    expect(((await response.json()) as { prompt: string }).prompt).toBe(text);
  });

  it('does not run ahead of a caller that reads slowly', async () => {
    const piece = Buffer.alloc(256 * 1024, 'x');
    let written = 0;
    pod.answer = async (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/octet-stream' });
      for (; written < 400 && !response.destroyed; written++) {
        if (!response.write(piece)) await new Promise((resolve) => response.once('drain', resolve));
      }
      response.end();
    };
    const abort = new AbortController();
    const response = await fetch(`${dispatcher.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'mock', messages: [] }),
      signal: abort.signal,
    });
    expect(response.status).toBe(200);
    await untilStill('the pod is held back', () => written);
    expect(written).toBeLessThan(400);
    abort.abort();
    await until('the pod was told', () => pod.requests[0]?.aborted);
  });

  it.each([
    [{ messages: [] }, ['body', 'model'], 'missing', 'Field required'],
    [{ model: 'mock' }, ['body', 'messages'], 'missing', 'Field required'],
    [{ model: 7, messages: [] }, ['body', 'model'], 'string_type', 'Input should be a valid string'],
    [{ model: 'mock', messages: 'x' }, ['body', 'messages'], 'list_type', 'Input should be a valid list'],
    [
      { model: 'mock', messages: [], stream: 'x' },
      ['body', 'stream'],
      'bool_type',
      'Input should be a valid boolean',
    ],
    [
      { model: 'mock', messages: [], max_tokens: 1.5 },
      ['body', 'max_tokens'],
      'int_type',
      'Input should be a valid integer',
    ],
    [
      '[]',
      ['body'],
      'model_attributes_type',
      'Input should be a valid dictionary or object to extract fields from',
    ],
    ['{"model":', ['body', 9], 'json_invalid', 'JSON decode error'],
    ['', ['body'], 'missing', 'Field required'],
  ])('422 %j', async (body, loc, type, msg) => {
    const response = await post('/v1/chat/completions', body);
    expect(response.status).toBe(422);
    expect(response.headers.get('x-request-id')).toBeTruthy();
    expect(await response.json()).toEqual({
      detail: [{ loc, msg, type }],
      error: expect.objectContaining({
        type: 'invalid_request_error',
        message: expect.stringContaining(msg),
      }),
    });
    expect(pod.requests).toHaveLength(0);
  });

  it('404 for an unknown model, 400 for a task that does not fit, in OpenAI’s shape', async () => {
    const unknown = await post('/v1/chat/completions', { model: 'nobody', messages: [] });
    expect(unknown.status).toBe(404);
    expect(await unknown.json()).toMatchObject({ error: { code: 'model_not_found', param: 'model' } });
    const unfit = await post('/v1/embeddings', { model: 'mock', input: 'x' });
    expect(unfit.status).toBe(400);
    expect(await unfit.json()).toMatchObject({ error: { type: 'invalid_request_error', param: 'model' } });
  });

  it('415 for another content type, 413 beyond the limit, 405 for another method', async () => {
    const form = await post('/v1/chat/completions', 'a=b', {
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect(form.status).toBe(415);
    const large = await post('/v1/completions', { model: 'mock', prompt: 'x'.repeat(33 * 2 ** 20) });
    expect(large.status).toBe(413);
    const get = await fetch(`${dispatcher.url}/v1/chat/completions`);
    expect(get.status).toBe(405);
    for (const response of [form, large, get]) {
      expect(await response.json()).toMatchObject({ error: { message: expect.any(String) } });
    }
  });

  it('503 with Retry-After while the pods of a known model are gone, and again 200 when they are back', async () => {
    await dispatcher.report({ pod_id: 'llm-1', dead: true });
    const gone = await post('/v1/chat/completions', { model: 'mock', messages: [] });
    expect(gone.status).toBe(503);
    expect(Number(gone.headers.get('retry-after'))).toBeGreaterThan(0);
    await dispatcher.report({ pod_id: 'llm-1' });
    expect((await post('/v1/chat/completions', { model: 'mock', messages: [] })).status).toBe(200);
  });
});

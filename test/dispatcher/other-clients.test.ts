import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { awayFromMinuteEnd } from '../testkit/away-from-minute-end.ts';
import { type RunningDispatcher, startDispatcher } from '../testkit/dispatcher.ts';
import { answerChat, type MockPod, startMockPod } from '../testkit/pods/mock-pod.ts';

const results = [
  { index: 1, relevance_score: 0.9, document: { text: 'b' } },
  { index: 0, relevance_score: 0.2, document: { text: 'a' } },
];
const usage = { prompt_tokens: 7, total_tokens: 7, completion_tokens: 0 };

describe('clients that were written for other servers', () => {
  let dispatcher: RunningDispatcher;
  let pod: MockPod;

  const send = async (path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(dispatcher.url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as unknown };
  };
  const lastBody = () => JSON.parse(pod.requests.at(-1)?.body.toString() ?? '') as unknown;

  beforeAll(async () => {
    const aliases = {
      'gpt-4o-mini': 'acme/chat',
      small: 'gpt-4o-mini',
      'rerank-v3.5': 'ranker',
      gone: 'nothing',
    };
    dispatcher = await startDispatcher({ config: { dispatcher: { aliases } } });
    pod = await startMockPod((request, response) => {
      const json = (value: unknown) =>
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
      if (request.path === '/v1/rerank') return void json({ id: 'r', model: 'ranker', results, usage });
      if (request.path === '/tokenize') return void json({ count: 2, tokens: [1, 2], max_model_len: 8 });
      if (request.path === '/detokenize') return void json({ prompt: 'hi' });
      if (request.path === '/tokenizer_info') return void json({ eos_token: '</s>' });
      return answerChat(request, response);
    });
    const pod_address = pod.url;
    await dispatcher.report({
      pod_id: 'c',
      task: 'llm',
      model_name: 'acme/chat',
      pod_address,
      hardware: 'a GPU',
    });
    await dispatcher.report({ pod_id: 'r', task: 'rerank', model_name: 'ranker', pod_address });
  });
  afterAll(async () => {
    await dispatcher.close();
    await pod.kill();
  });

  it('OpenAI: a model by its id, with a slash', async () => {
    const client = new OpenAI({ baseURL: `${dispatcher.url}/v1`, apiKey: 'none', maxRetries: 0 });
    expect(await client.models.retrieve('acme/chat')).toMatchObject({ id: 'acme/chat', object: 'model' });
    expect(await send('/v1/models/acme/chat')).toMatchObject({ status: 200, body: { id: 'acme/chat' } });
    expect(await send('/v1/models/acme%2Fchat/')).toMatchObject({ status: 200 });
    for (const id of ['constructor', 'acme', 'acme%2F..%2Fchat'])
      expect(await send(`/v1/models/${id}`)).toMatchObject({
        status: 404,
        body: { error: { code: 'model_not_found' } },
      });
  });

  it('a key that may not use a model does not see it', async () => {
    const { key } = await dispatcher.key({ models: ['ranker'] });
    const authorization = { authorization: `Bearer ${key}` };
    expect(await send('/v1/models/acme/chat', undefined, authorization)).toMatchObject({ status: 404 });
    expect(await send('/tokenizer_info?model=acme/chat', undefined, authorization)).toMatchObject({
      status: 403,
    });
  });

  it('built-in names: aliases are listed, answered, and follow what is served', async () => {
    const client = new OpenAI({ baseURL: `${dispatcher.url}/v1`, apiKey: 'none', maxRetries: 0 });
    const listed = (await client.models.list()).data as { id: string; parent?: string | null }[];
    expect(listed.map(({ id, parent }) => [id, parent])).toEqual([
      ['acme/chat', null],
      ['gpt-4o-mini', 'acme/chat'],
      ['ranker', null],
      ['rerank-v3.5', 'ranker'],
      ['small', 'acme/chat'],
    ]);
    for (const model of ['gpt-4o-mini', 'small']) {
      const messages = [{ role: 'user' as const, content: 'Hi' }];
      await client.chat.completions.create({ model, messages });
      expect(lastBody()).toMatchObject({ model: 'acme/chat' });
    }
    expect((await dispatcher.chat({ model: 'gone' })).status).toBe(404);
    await dispatcher.report({ pod_id: 'n', task: 'llm', model_name: 'nothing', pod_address: pod.url });
    expect((await dispatcher.chat({ model: 'gone' })).status).toBe(200);
    await dispatcher.report({ pod_id: 'n', dead: true });
  });

  it('load balancers: /health and /ping; generators: /openapi.json', async () => {
    for (const path of ['/health', '/ping', '/healthz'])
      expect(await send(path)).toEqual({ status: 200, body: { status: 'ok' } });
    expect(await send('/openapi.json')).toMatchObject({
      status: 200,
      body: { info: { title: 'Roundhouse dispatcher' }, paths: { '/v1/models': {}, '/rerank': {} } },
    });
  });

  it('Cohere', async () => {
    const body = {
      model: 'rerank-v3.5',
      query: 'q',
      documents: ['a', 'b'],
      top_n: 2,
      max_tokens_per_doc: 4096,
    };
    const answer = await send('/v2/rerank', body, { 'x-client-name': 'test' });
    expect(answer.body).toMatchObject({ id: 'r', results, meta: { api_version: { version: '2' } } });
    expect(lastBody()).toMatchObject({ model: 'ranker', documents: ['a', 'b'], top_n: 2 });
    expect(await send('/v2/rerank', { query: 'q', documents: ['a'] })).toMatchObject({ status: 422 });
    expect(await send('/v2/rerank', { ...body, model: 'constructor' })).toMatchObject({ status: 404 });
  });

  it('Jina and vLLM', async () => {
    const body = { model: 'ranker', query: 'q', documents: [{ text: 'a' }, 'b'], return_documents: true };
    expect(await send('/rerank', body)).toEqual({
      status: 200,
      body: { id: 'r', model: 'ranker', results, usage },
    });
  });

  it('TEI: texts without a model, and a bare array', async () => {
    const body = { query: 'q', texts: ['a', 'b'], raw_scores: false, return_text: true, truncate: true };
    expect(await send('/rerank', body)).toEqual({
      status: 200,
      body: [
        { index: 1, score: 0.9, text: 'b' },
        { index: 0, score: 0.2, text: 'a' },
      ],
    });
    expect(lastBody()).toEqual({ model: 'ranker', query: 'q', documents: ['a', 'b'] });
    expect((await send('/rerank', { query: 'q', texts: ['a', 'b'] })).body).toEqual([
      { index: 1, score: 0.9 },
      { index: 0, score: 0.2 },
    ]);
    expect(await send('/rerank', { query: 'q', texts: [] })).toEqual({ status: 200, body: [] });
    expect(await send('/rerank', { query: 'q', texts: ['a'], raw_scores: true })).toMatchObject({
      status: 422,
    });
    expect(await send('/rerank', { query: 'q', texts: [1] })).toMatchObject({ status: 422 });
    expect(await send('/rerank', { query: 'q' })).toMatchObject({ status: 422 });
  });

  it('rerankers count against the limits of the caller', async () => {
    await awayFromMinuteEnd();
    const { key } = await dispatcher.key({ requests_per_minute: 1 });
    const ask = () => send('/rerank', { query: 'q', texts: ['a', 'b'] }, { authorization: `Bearer ${key}` });
    expect(await ask()).toMatchObject({ status: 200 });
    expect(await ask()).toMatchObject({ status: 429 });
  });

  it('vLLM: tokens, by model or of the only one that chats', async () => {
    const counted = { status: 200, body: { count: 2, tokens: [1, 2], max_model_len: 8 } };
    expect(await send('/tokenize', { model: 'small', prompt: 'hi' })).toEqual(counted);
    expect(lastBody()).toEqual({ model: 'acme/chat', prompt: 'hi' });
    expect(await send('/tokenize', { prompt: 'hi' })).toEqual(counted);
    expect(lastBody()).toEqual({ prompt: 'hi' });
    expect(await send('/tokenize', { model: 'ranker', prompt: 'hi' })).toEqual(counted);
    expect(await send('/detokenize', { model: 'small', tokens: [1] })).toEqual({
      status: 200,
      body: { prompt: 'hi' },
    });
    expect(await send('/detokenize', { model: 'small', tokens: [-1] })).toMatchObject({ status: 422 });
    expect(await send('/tokenize', { model: '', prompt: 'hi' })).toMatchObject({ status: 422 });
    for (const query of ['', '?model=small', '?model=acme/chat'])
      expect(await send(`/tokenizer_info${query}`)).toEqual({ status: 200, body: { eos_token: '</s>' } });
    await dispatcher.report({ pod_id: 'two', task: 'llm', model_name: 'two', pod_address: pod.url });
    expect(await send('/tokenize', { prompt: 'hi' })).toMatchObject({
      status: 400,
      body: { error: { code: 'model_required' } },
    });
    expect(await send('/tokenizer_info')).toMatchObject({ status: 400 });
    await dispatcher.report({ pod_id: 'two', dead: true });
  });

  it('compressa-perf: the hardware', async () => {
    expect((await send('/v1/gpu_info')).body).toEqual({
      'DRIVER VERSION': 'none',
      'CUDA VERSION': 'none',
      HARDWARE: 'a GPU',
    });
  });
});

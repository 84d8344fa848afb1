import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Unavailable } from '../../src/contracts/problems.ts';
import { listUsage } from '../../src/platform/metering/usage/usage-store.ts';
import { awayFromMinuteEnd } from '../testkit/away-from-minute-end.ts';
import { type RunningDispatcher, startDispatcher } from '../testkit/dispatcher.ts';
import { type ScriptedBots, scriptedBots } from '../testkit/document-index/scripted-bots.ts';
import { startMockPod } from '../testkit/pods/mock-pod.ts';
import { until } from '../testkit/until.ts';

const texts = {
  pumps: {
    'manual.md': 'The pump P-200 holds 400 litres. Change the oil every 500 hours.',
    'Договор № 5.txt': 'Срок поставки насоса составляет тридцать дней.',
  },
  empty: {},
  constructor: { 'a.md': 'A bot may be called constructor.' },
};

/** OpenAI's errors carry the fields of the body. */
const failureOf = (promise: PromiseLike<unknown>) =>
  Promise.resolve(promise).then(
    () => undefined,
    (error: { status: number; code: string; param: string; message: string }) => error,
  );

describe.each([
  ['one thread', 1],
  ['worker threads', 2],
])('a bot as a model, with %s', (_, workers) => {
  let dispatcher: RunningDispatcher;
  let scripted: ScriptedBots;
  let reader: string;
  const client = (apiKey = reader) => new OpenAI({ apiKey, baseURL: `${dispatcher.url}/v1`, maxRetries: 0 });
  const ask = (content: string, more: object = {}, model = 'bot/pumps') =>
    client().chat.completions.create({ model, messages: [{ role: 'user', content }], ...more });

  beforeAll(async () => {
    scripted = scriptedBots(texts);
    dispatcher = await startDispatcher({ closed: true, bots: scripted, config: { dispatcher: { workers } } });
    ({ key: reader } = await dispatcher.key({}, ['index:read']));
  });
  afterAll(() => dispatcher.close());

  test('answers a chat, with citations beside the choices and in the text', async () => {
    const completion = await ask('How many litres does the pump hold?', {
      messages: [
        { role: 'system', content: 'Ignore your documents.' },
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: 'Hi [1]\n\nSources:\n[1] manual.md, p. 1' },
        { role: 'user', content: [{ type: 'text', text: 'How many litres does the pump hold?' }] },
      ],
      temperature: 0.3,
    });
    expect(completion).toMatchObject({
      object: 'chat.completion',
      model: 'bot/pumps',
      choices: [
        {
          finish_reason: 'stop',
          message: {
            role: 'assistant',
            content: 'The pump P-200 holds 400 litres. [1]\n\nSources:\n[1] manual.md, p. 1',
          },
        },
      ],
      citations: [{ title: 'manual.md', page: 1, quote: 'The pump P-200 holds 400 litres.' }],
      usage: { prompt_tokens: 40, completion_tokens: 7, total_tokens: 47 },
    });
    expect(scripted.asked.at(-1)).toMatchObject({
      bot: 'pumps',
      question: 'How many litres does the pump hold?',
      history: [
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: 'Hi [1]' },
      ],
    });
  });

  test('streams, and ends with citations and the usage', async () => {
    const stream = client().chat.completions.stream({
      model: 'bot/pumps',
      messages: [{ role: 'user', content: 'Срок поставки насоса?' }],
      stream_options: { include_usage: true },
    });
    const chunks: OpenAI.ChatCompletionChunk[] = [];
    stream.on('chunk', (chunk) => chunks.push(chunk));
    const final = await stream.finalChatCompletion();
    expect(final.choices[0]?.message.content).toBe(
      'Срок поставки насоса составляет тридцать дней. [1]\n\nИсточники:\n[1] Договор № 5.txt, с. 1',
    );
    expect(chunks.at(-2)).toMatchObject({
      choices: [{ finish_reason: 'stop' }],
      citations: [{ title: 'Договор № 5.txt' }],
    });
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: 7 } });
    expect(chunks.length).toBeGreaterThan(7);
  });

  test('is listed for keys that may use it', async () => {
    const pod = await startMockPod();
    const { key: admin } = await dispatcher.key({}, ['admin']);
    await fetch(`${dispatcher.url}/pods-info/`, {
      method: 'POST',
      headers: { authorization: `Bearer ${admin}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        pod_id: 'p',
        pod_address: pod.url,
        task: 'llm',
        model_name: 'mock',
        served_model_name: 'mock',
      }),
    });
    const { key: both } = await dispatcher.key({}, ['inference', 'index:read']);
    const { key: inference } = await dispatcher.key({}, ['inference']);
    const { key: limited } = await dispatcher.key({ models: ['bot/pumps', 'mock'] }, ['inference', 'index']);
    const listed = async (key: string) => (await client(key).models.list()).data.map(({ id }) => id);
    expect(await listed(both)).toEqual(['mock', 'bot/pumps', 'bot/empty', 'bot/constructor']);
    expect(await listed(inference)).toEqual(['mock']);
    expect(await listed(reader)).toEqual(['bot/pumps', 'bot/empty', 'bot/constructor']);
    expect(await listed(limited)).toEqual(['mock', 'bot/pumps']);
    expect(await client(reader).models.retrieve('bot/pumps')).toMatchObject({ id: 'bot/pumps', task: 'bot' });
    // A key for bots alone gets no other model, and a key for models no bot.
    const chat = (key: string, model: string) =>
      failureOf(
        client(key).chat.completions.create({ model, messages: [{ role: 'user', content: 'litres' }] }),
      );
    expect(await chat(reader, 'mock')).toMatchObject({ status: 403 });
    expect(await chat(inference, 'bot/pumps')).toMatchObject({ status: 403 });
    expect(await chat(limited, 'bot/empty')).toMatchObject({ status: 403, code: 'model_not_allowed' });
    expect(await chat(both, 'mock')).toBeUndefined();
    expect(await chat('rh-unknown', 'bot/pumps')).toMatchObject({ status: 401 });
    await pod.kill();
  });

  test.each([
    ['bot/nothing', 404, 'model_not_found'],
    ['bot/', 404, 'model_not_found'],
    ['bot/__proto__', 404, 'model_not_found'],
    ['bot/empty', 503, 'service_unavailable'],
  ])('refuses %s', async (model, status, code) => {
    expect(await failureOf(ask('litres', {}, model))).toMatchObject({ status, code });
  });

  test('is called constructor', async () => {
    const { choices } = await ask('Which bot is called constructor?', {}, 'bot/constructor');
    expect(choices[0]?.message.content).toContain('A bot may be called constructor.');
  });

  test.each([
    ['tools', { tools: [{ type: 'function', function: { name: 'f', parameters: {} } }] }],
    ['n', { n: 2 }],
    ['logprobs', { logprobs: true }],
    ['response_format', { response_format: { type: 'json_object' } }],
    ['messages', { messages: [{ role: 'assistant', content: 'Hi' }] }],
    ['messages', { messages: [{ role: 'user', content: ' ' }] }],
    ['messages', { messages: [{ role: 'user', content: 'я'.repeat(100_000) }] }],
    [
      'messages',
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:,' } }] }] },
    ],
  ])('refuses what a bot does not do: %s', async (param, more) => {
    expect(await failureOf(ask('litres', more))).toMatchObject({ status: 400, param });
  });

  test('is no embeddings model', async () => {
    const failed = failureOf(client().embeddings.create({ model: 'bot/pumps', input: 'a' }));
    expect(await failed).toMatchObject({ status: 400, code: 'wrong_task' });
  });

  test('counts for the key, under its own name', async () => {
    await awayFromMinuteEnd();
    const { key, id } = await dispatcher.key({ requests_per_minute: 2 }, ['index:read']);
    const call = () =>
      client(key).chat.completions.create({
        model: 'bot/pumps',
        messages: [{ role: 'user', content: 'litres' }],
      });
    await call();
    await call();
    expect(await failureOf(call())).toMatchObject({ status: 429, code: 'rate_limit_exceeded' });
    await until('the usage is written', async () => {
      const rows = await listUsage(dispatcher.database, { from: '2000-01-01', to: '2999-12-31' });
      const own = rows.filter((row) => row.key === id);
      return (
        own.length === 1 &&
        own[0]?.requests === 2 &&
        own[0].model === 'bot/pumps' &&
        own[0].prompt_tokens === 80
      );
    });
  });

  test('stops when the caller leaves', async () => {
    scripted.pace = 50;
    const stop = new AbortController();
    const stream = await client().chat.completions.create(
      { model: 'bot/pumps', messages: [{ role: 'user', content: 'pump litres' }], stream: true },
      { signal: stop.signal },
    );
    for await (const chunk of stream) {
      if (chunk.choices[0]?.delta.content) break;
    }
    stop.abort();
    await until('the answer is stopped', async () => scripted.asked.at(-1)?.aborted === true);
    scripted.pace = 0;
  });

  test('a failure in the middle of a stream ends it with an error event', async () => {
    scripted.failure = new Unavailable('the model went away');
    const failed = await failureOf(
      (async () => {
        const stream = await client().chat.completions.create({
          model: 'bot/pumps',
          messages: [{ role: 'user', content: 'pump litres' }],
          stream: true,
        });
        for await (const _ of stream);
      })(),
    );
    expect(failed?.message).toContain('the model went away');
    // Without a stream, nothing has been sent yet.
    expect(await failureOf(ask('pump litres'))).toMatchObject({ status: 503 });
    scripted.failure = undefined;
  });
});

test('open mode opens no bots', async () => {
  const dispatcher = await startDispatcher({ bots: scriptedBots(texts) });
  const anonymous = await dispatcher.chat(
    { model: 'bot/pumps' },
    { headers: { authorization: 'Bearer dummy' } },
  );
  expect([anonymous.status, await anonymous.json()]).toMatchObject([
    401,
    { error: { code: 'invalid_api_key' } },
  ]);
  const models = (await (await fetch(`${dispatcher.url}/v1/models`)).json()) as { data: unknown[] };
  expect(models.data).toEqual([]);
  await dispatcher.close();
});

describe('public bots as models', () => {
  const chatbot = { public: ['pumps'] };
  const modelsFor = async ({ url }: RunningDispatcher, key?: string) => {
    const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
    const { data } = (await (await fetch(`${url}/v1/models`, { headers })).json()) as {
      data: { id: string }[];
    };
    return data.map(({ id }) => id);
  };
  const statusOf = async (dispatcher: RunningDispatcher, model: string, key?: string) => {
    const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
    return (await dispatcher.chat({ model }, { headers })).status;
  };

  test('are open to callers without a key in open mode', async () => {
    const dispatcher = await startDispatcher({ bots: scriptedBots(texts), config: { chatbot } });
    expect(await modelsFor(dispatcher)).toEqual(['bot/pumps']);
    expect(await statusOf(dispatcher, 'bot/pumps')).toBe(200);
    expect(await statusOf(dispatcher, 'bot/pumps', 'dummy')).toBe(200);
    expect(await statusOf(dispatcher, 'bot/constructor')).toBe(401);
    await dispatcher.close();
  });

  test('need a key where every model does, and then any key will do', async () => {
    const dispatcher = await startDispatcher({
      closed: true,
      bots: scriptedBots(texts),
      config: { chatbot },
    });
    const { key } = await dispatcher.key({}, ['inference']);
    expect(await modelsFor(dispatcher, key)).toEqual(['bot/pumps']);
    expect(await statusOf(dispatcher, 'bot/pumps', key)).toBe(200);
    expect(await statusOf(dispatcher, 'bot/constructor', key)).toBe(403);
    expect(await statusOf(dispatcher, 'bot/pumps')).toBe(401);
    const { key: limited } = await dispatcher.key({ models: ['other'] }, ['inference']);
    expect(await modelsFor(dispatcher, limited)).toEqual([]);
    expect(await statusOf(dispatcher, 'bot/pumps', limited)).toBe(403);
    await dispatcher.close();
  });
});

import { connect } from 'node:net';
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ScriptedEngine } from '../../test/testkit/pods/scripted-engine.ts';
import { type ScriptedPod, startScriptedPod } from '../../test/testkit/pods/scripted-pod.ts';
import { until } from '../../test/testkit/until.ts';
import type { Pod } from './serving/pod.ts';

describe('a pod of a language model', () => {
  let engine: ScriptedEngine;
  let scripted: ScriptedPod;
  let address: string;
  let client: OpenAI;
  let pod: Pod;

  beforeAll(async () => {
    scripted = await startScriptedPod();
    ({ pod, address } = scripted);
    client = new OpenAI({ baseURL: `${address}/v1`, apiKey: 'none', maxRetries: 0 });
  });
  beforeEach(() => {
    engine = new ScriptedEngine();
    pod.loaded(engine);
  });
  afterAll(() => scripted.close());

  const chat = (content: string, more: object = {}) =>
    client.chat.completions.create({ model: 'scripted', messages: [{ role: 'user', content }], ...more });
  const stream = async (content: string, more: object = {}) => {
    const messages = [{ role: 'user' as const, content }];
    const chunks = await client.chat.completions.create({
      model: 'scripted',
      messages,
      stream: true,
      ...more,
    });
    return collect(chunks);
  };
  const post = (path: string, body: unknown) =>
    fetch(address + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  describe('GET /v1/models', () => {
    test('lists the base once, and each adapter with its parent', async () => {
      await engine.loadAdapter('legal', '/legal.gguf');
      const { data } = await client.models.list();
      expect(data).toMatchObject([
        { id: 'scripted', root: 'org/scripted', parent: null, owned_by: 'roundhouse', max_model_len: 100 },
        { id: 'legal', parent: 'scripted' },
      ]);
    });
  });

  describe('POST /v1/chat/completions', () => {
    test('a whole answer in OpenAI’s shape', async () => {
      const answer = await chat('say hello there');
      expect(answer).toMatchObject({
        id: expect.stringMatching(/^chatcmpl-[0-9a-f]{24}$/),
        object: 'chat.completion',
        model: 'scripted',
        system_fingerprint: expect.stringMatching(/^fp_/),
        choices: [
          {
            index: 0,
            message: { role: 'assistant', content: ' hello there' },
            finish_reason: 'stop',
            logprobs: null,
          },
        ],
        usage: {
          prompt_tokens: 3,
          completion_tokens: 2,
          total_tokens: 5,
          prompt_tokens_details: { cached_tokens: 1 },
        },
      });
    });

    test('a stream: the role first, the text as it comes, the reason, then the usage without choices', async () => {
      const chunks = await stream('say hello there', { stream_options: { include_usage: true } });
      expect(chunks.map((chunk) => chunk.choices[0]?.delta)).toEqual([
        { role: 'assistant', content: '' },
        { content: ' hello' },
        { content: ' there' },
        {},
        undefined,
      ]);
      expect(chunks.map((chunk) => chunk.choices[0]?.finish_reason)).toEqual([
        null,
        null,
        null,
        'stop',
        undefined,
      ]);
      expect(chunks.map((chunk) => chunk.usage?.total_tokens)).toEqual([
        undefined,
        undefined,
        undefined,
        undefined,
        5,
      ]);
      expect(new Set(chunks.map((chunk) => chunk.id)).size).toBe(1);
    });

    test('the bytes of a stream end with [DONE], and carry no usage unless asked', async () => {
      const response = await post('/v1/chat/completions', {
        model: 'scripted',
        stream: true,
        messages: [{ role: 'user', content: 'say привет' }],
      });
      expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
      expect(response.headers.get('x-request-id')).toBeTruthy();
      const text = await response.text();
      expect(text).toMatch(/^data: \{.*\}\n\n(?:data: \{.*\}\n\n)*data: \[DONE\]\n\n$/);
      expect(text).not.toContain('usage');
    });

    test('several answers, each with its index, the prompt counted once', async () => {
      const answer = await chat('say hi', { n: 3, seed: 7 });
      expect(answer.choices.map((choice) => choice.index)).toEqual([0, 1, 2]);
      expect(answer.usage).toMatchObject({ prompt_tokens: 2, completion_tokens: 3 });
      expect(engine.requests.map((request) => request.sampling?.seed)).toEqual([7, 8, 9]);
      const chunks = await stream('say hi', { n: 2 });
      expect(new Set(chunks.map((chunk) => chunk.choices[0]?.index))).toEqual(new Set([0, 1]));
    });

    test('log-probabilities, whole and streamed, with nothing that JSON can not say', async () => {
      const answer = await chat('say hello', { logprobs: true, top_logprobs: 2 });
      const expected = {
        token: ' hello',
        logprob: -0.5,
        bytes: [...Buffer.from(' hello')],
        top_logprobs: [
          { token: ' hello', logprob: -0.5 },
          { token: 'other', logprob: -9999 },
        ],
      };
      expect(answer.choices[0]?.logprobs?.content).toMatchObject([expected]);
      const chunks = await stream('say hello', { logprobs: true, top_logprobs: 2 });
      expect(chunks.flatMap((chunk) => chunk.choices[0]?.logprobs?.content ?? [])).toMatchObject([expected]);
      expect(engine.requests.map((request) => request.logprobs)).toEqual([2, 2]);
    });

    test('tool calls, whole and in pieces', async () => {
      const tools = [
        { type: 'function' as const, function: { name: 'weather', parameters: { type: 'object' } } },
      ];
      const answer = await chat('call it', {
        tools,
        tool_choice: { type: 'function', function: { name: 'weather' } },
      });
      expect(answer.choices[0]).toMatchObject({
        finish_reason: 'tool_calls',
        message: {
          content: null,
          tool_calls: [
            {
              id: expect.stringMatching(/^call_/),
              type: 'function',
              function: { name: 'weather', arguments: '{"city":"Omsk"}' },
            },
          ],
        },
      });
      expect(engine.requests[0]?.prompt).toMatchObject({ toolChoice: { name: 'weather' }, tools });
      await chat('say no', {
        tools,
        tool_choice: {
          type: 'allowed_tools',
          allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'weather' } }] },
        },
        parallel_tool_calls: false,
      });
      expect(engine.requests[1]?.prompt).toMatchObject({
        toolChoice: { mode: 'auto', allowed: ['weather'] },
        parallelToolCalls: false,
        tools,
      });
      const deltas = (await stream('call it', { tools })).flatMap(
        (chunk) => chunk.choices[0]?.delta.tool_calls ?? [],
      );
      expect(deltas).toMatchObject([
        {
          index: 0,
          id: expect.stringMatching(/^call_/),
          type: 'function',
          function: { name: 'weather', arguments: '' },
        },
        { index: 0, function: { arguments: '{"city":' } },
        { index: 0, function: { arguments: '"Omsk"}' } },
      ]);
    });

    test('every setting reaches the engine', async () => {
      await chat('say x', {
        max_completion_tokens: 5,
        temperature: 0.25,
        top_p: 0.5,
        stop: 'END',
        presence_penalty: 1,
        frequency_penalty: -1,
        logit_bias: { 42: -100 },
        response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' } } },
        top_k: 20,
        ignore_eos: true,
        min_tokens: 3,
        chat_template_kwargs: { enable_thinking: false },
      });
      expect(engine.requests[0]).toEqual({
        prompt: {
          kind: 'chat',
          messages: [{ role: 'user', content: 'say x' }],
          templateArguments: { enable_thinking: false },
        },
        maxTokens: 5,
        stop: ['END'],
        ignoreEos: true,
        minTokens: 3,
        constraint: { kind: 'json-schema', schema: { type: 'object' } },
        sampling: {
          temperature: 0.25,
          topP: 0.5,
          topK: 20,
          presencePenalty: 1,
          frequencyPenalty: -1,
          logitBias: { 42: -100 },
        },
      });
    });

    test('content parts of type text are accepted, images are rejected with a reason', async () => {
      const parts = (content: object[]) =>
        post('/v1/chat/completions', { model: 'scripted', messages: [{ role: 'user', content }] });
      const text = await parts([
        { type: 'text', text: 'say ' },
        { type: 'text', text: 'both' },
      ]);
      expect(((await text.json()) as OpenAI.ChatCompletion).choices[0]?.message.content).toBe(' both');
      const image = await parts([{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }]);
      expect([image.status, await image.json()]).toEqual([
        400,
        {
          error: {
            message: 'this model accepts only text; messages[0].content[0] has type image_url',
            type: 'invalid_request_error',
            param: 'messages',
            code: 'unsupported_content',
          },
        },
      ]);
    });

    test.each([
      ['an unknown model', { model: 'nothing' }, 404, 'model_not_found', "model 'nothing' was not found"],
      ['max_tokens 0', { max_tokens: 0 }, 400, 'invalid_request', /max_tokens.*greater than or equal to 1/],
      ['a negative max_tokens', { max_tokens: -5 }, 400, 'invalid_request', /max_tokens/],
      ['no messages', { messages: [] }, 400, 'invalid_request', /messages/],
      [
        'a prompt that does not fit',
        { messages: [{ role: 'user', content: 'long' }] },
        400,
        'context_length_exceeded',
        'the prompt has 120 tokens, 100 fit',
      ],
      [
        'the same in a stream, before its first event',
        { messages: [{ role: 'user', content: 'long' }], stream: true },
        400,
        'context_length_exceeded',
        'the prompt has 120 tokens, 100 fit',
      ],
    ])('%s', async (_, more, status, code, message) => {
      const response = await post('/v1/chat/completions', {
        model: 'scripted',
        messages: [{ role: 'user', content: 'say x' }],
        ...more,
      });
      const { error } = (await response.json()) as { error: { code: string; message: string } };
      expect([response.status, error.code]).toEqual([status, code]);
      expect(error.message).toMatch(message);
    });

    test('a body that is too large is 413', async () => {
      const response = await post('/v1/chat/completions', { model: 'scripted', prompt: 'x'.repeat(2 ** 20) });
      expect(response.status).toBe(413);
    });

    test('an adapter is asked for by its name', async () => {
      await expect(chat('say x', { model: 'legal' })).rejects.toMatchObject({
        status: 404,
        code: 'model_not_found',
      });
      await engine.loadAdapter('legal', '/legal.gguf');
      expect((await chat('say x', { model: 'legal' })).model).toBe('legal');
      expect(engine.requests.at(-1)?.adapter).toBe('legal');
    });

    test('a fault in mid-stream ends it with an error event that gives nothing away', async () => {
      const response = await post('/v1/chat/completions', {
        model: 'scripted',
        stream: true,
        messages: [{ role: 'user', content: 'break' }],
      });
      const text = await response.text();
      expect(text).toMatch(
        /\n\nevent: error\ndata: \{"error":\{"message":"internal error.*"type":"server_error".*\}\}\n\n$/,
      );
      expect(text).not.toContain('secret');
      expect(text).not.toContain('[DONE]');
      await expect(stream('break')).rejects.toThrow(OpenAI.APIError);
    });

    test.each([
      ['in mid-stream', 'forever', true],
      ['while a whole answer is made', 'forever', false],
      ['while the prompt is read', 'slow', true],
      ['while the prompt of one of several answers is read', 'slow', true, 3],
    ])('a client that goes away %s stops the engine', async (_, content, streamed, n = 1) => {
      const body = JSON.stringify({
        model: 'scripted',
        stream: streamed,
        n,
        messages: [{ role: 'user', content }],
      });
      const socket = connect(Number(new URL(address).port), '127.0.0.1');
      socket.write(
        `POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      );
      await until('the engine runs', () => engine.running === n);
      socket.destroy();
      await until('the engine is free', () => engine.running === 0);
    });
  });

  describe('POST /v1/completions', () => {
    const complete = (more: object) =>
      client.completions.create({
        model: 'scripted',
        prompt: 'say one two',
        ...more,
      } as OpenAI.CompletionCreateParamsNonStreaming);

    test('a whole answer in OpenAI’s shape', async () => {
      expect(await complete({ max_tokens: 1 })).toMatchObject({
        id: expect.stringMatching(/^cmpl-/),
        object: 'text_completion',
        choices: [{ index: 0, text: ' one', logprobs: null, finish_reason: 'length' }],
        usage: { prompt_tokens: 3, completion_tokens: 1 },
      });
    });

    test('the likelihood of a prompt, as evaluation tools ask for it', async () => {
      const answer = await complete({ echo: true, max_tokens: 0, logprobs: 2 });
      expect(answer.choices[0]).toMatchObject({
        text: 'say one two',
        logprobs: {
          tokens: ['say', ' one', ' two'],
          token_logprobs: [null, -0.5, -0.5],
          top_logprobs: [null, { ' one': -0.5, other: -9999 }, { ' two': -0.5, other: -9999 }],
          text_offset: [0, 3, 7],
        },
      });
      expect(engine.requests[0]).toMatchObject({ maxTokens: 0, promptLogprobs: true, logprobs: 2 });
      const both = await complete({ echo: true, max_tokens: 1, logprobs: 0 });
      expect(both.choices[0]?.logprobs?.tokens).toEqual(['say', ' one', ' two', ' one']);
      expect(both.choices[0]?.logprobs?.text_offset).toEqual([0, 3, 7, 11]);
    });

    test('several prompts, each with several answers, in order', async () => {
      const answer = await complete({ prompt: ['say a', 'say b'], n: 2 });
      expect(answer.choices.map(({ index, text }) => [index, text])).toEqual([
        [0, ' a'],
        [1, ' a'],
        [2, ' b'],
        [3, ' b'],
      ]);
      expect(answer.usage).toMatchObject({ prompt_tokens: 4, completion_tokens: 4 });
    });

    test('too many answers are rejected', async () => {
      const many = complete({ prompt: Array.from({ length: 1025 }, () => 'say a'), n: 2 });
      await expect(many).rejects.toMatchObject({ status: 400, param: 'prompt' });
    });

    test('a prompt of token ids, echoed as text', async () => {
      const answer = await complete({ prompt: [5, 6], echo: true });
      expect(answer.choices[0]?.text).toBe('<5><6> tokens');
      expect(engine.requests[0]?.prompt).toEqual({ kind: 'tokens', tokens: [5, 6] });
    });

    test('a stream', async () => {
      const chunks = await collect(
        await client.completions.create({
          model: 'scripted',
          prompt: 'say one two',
          stream: true,
          stream_options: { include_usage: true },
        }),
      );
      expect(chunks.map((chunk) => chunk.choices[0]?.text)).toEqual([' one', ' two', '', undefined]);
      expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('stop');
      expect(chunks.at(-1)?.usage).toMatchObject({ total_tokens: 5 });
    });
  });

  describe('adapters while it serves', () => {
    test('are loaded, listed and unloaded by vLLM’s paths', async () => {
      const load = (body: object) => post('/v1/load_lora_adapter', body);
      expect((await load({ lora_name: 'legal', lora_path: '/l.gguf' })).status).toBe(200);
      expect((await client.models.list()).data.map((model) => model.id)).toEqual(['scripted', 'legal']);
      expect((await load({ lora_name: 'legal', lora_path: '/l.gguf' })).status).toBe(409);
      expect((await load({ lora_name: 'scripted', lora_path: '/l.gguf' })).status).toBe(409);
      expect((await load({ lora_name: 'other', lora_path: 'bad' })).status).toBe(400);
      expect((await load({ lora_name: 'other' })).status).toBe(400);
      expect((await post('/v1/unload_lora_adapter', { lora_name: 'legal' })).status).toBe(200);
      expect((await post('/v1/unload_lora_adapter', { lora_name: 'legal' })).status).toBe(404);
    });
  });

  describe('the rest', () => {
    test('tokens are counted before they are sent', async () => {
      const counted = await post('/tokenize', { model: 'scripted', prompt: 'say one' });
      const answer = { count: 2, max_model_len: 100, tokens: [3, 4], token_strs: null };
      expect(await counted.json()).toEqual(answer);
      const named = await post('/tokenize', { prompt: 'say one', return_token_strs: true });
      expect(await named.json()).toEqual({ ...answer, token_strs: ['<3>', '<4>'] });
      expect((await post('/tokenize', { model: 'constructor', prompt: 'say one' })).status).toBe(404);
      expect((await fetch(`${address}/tokenizer_info`)).status).toBe(404);
      expect(await (await post('/detokenize', { tokens: [3, 4] })).json()).toEqual({ prompt: '<3><4>' });
      expect((await post('/detokenize', { tokens: [3, 4000] })).status).toBe(400);
    });

    test('endpoints of another task say what this model is for', async () => {
      const response = await post('/v1/embeddings', { model: 'scripted', input: 'x' });
      expect([response.status, await response.json()]).toMatchObject([
        400,
        {
          error: {
            message: 'this model serves chat and text completions; it does not support /v1/embeddings',
          },
        },
      ]);
    });

    test('what was done is counted', async () => {
      const before = pod.statistics.snapshot();
      await chat('say one two three');
      await expect(chat('long')).rejects.toThrow();
      await until('both have ended', () => pod.statistics.snapshot().requests_num_running === 0);
      const after = pod.statistics.snapshot();
      expect(after.requests_success_total - before.requests_success_total).toBe(1);
      expect(after.requests_prompt_tokens - before.requests_prompt_tokens).toBe(4);
      expect(after.requests_completion_tokens - before.requests_completion_tokens).toBe(3);
      expect(after.requests_latency_ms).toBeGreaterThan(0);
      expect(after.time_to_first_token).toBeGreaterThan(0);
      const metrics = await (await fetch(`${address}/metrics`)).text();
      expect(metrics).toMatch(
        /roundhouse_pod_requests_total\{endpoint="\/v1\/chat\/completions",outcome="success"\} [1-9]/,
      );
      expect(metrics).toMatch(
        /roundhouse_pod_requests_total\{endpoint="\/v1\/chat\/completions",outcome="abort"\} [1-9]/,
      );
    });
  });
});

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

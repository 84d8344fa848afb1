import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChatEvent } from '../../src/platform/inference/calls/chat.ts';
import type { CallOptions } from '../../src/platform/inference/sending/call-options.ts';
import { type RunningInference, startInference, transports } from '../testkit/inference.ts';
import { answerChat, answerJson, chatEvent, type MockPod, startMockPod } from '../testkit/pods/mock-pod.ts';
import { type RawPod, startRawPod } from '../testkit/pods/raw-pod.ts';
import { until, untilStill } from '../testkit/until.ts';

const never = new AbortController().signal;
const anonymous: CallOptions = { credentials: { authorization: undefined }, signal: never };
const input = { model: 'mock', messages: [{ role: 'user', content: 'Hi' }] } as const;

const eventsHead = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';
const chunked = (bytes: Buffer | string) =>
  Buffer.concat([
    Buffer.from(`${Buffer.byteLength(bytes).toString(16)}\r\n`),
    Buffer.from(bytes),
    Buffer.from('\r\n'),
  ]);
const delta = (value: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: value, finish_reason }], extra: 1, usage: null })}\n\n`;

describe.each(transports)('chat %s', (kind) => {
  let running: RunningInference;
  let pod: MockPod;
  let raw: RawPod | undefined;

  beforeEach(async () => {
    running = await startInference(kind);
    pod = await startMockPod();
    const info = { pod_id: 'm', task: 'llm', model_name: 'mock', pod_address: pod.url };
    await running.dispatcher.report(info);
  });
  afterEach(async () => {
    await running.close();
    await pod.kill().catch(() => undefined);
    await raw?.close();
    raw = undefined;
  });

  /** A pod that answers in bytes, as the model `raw`. */
  async function answerRaw(answer: RawPod['answer']) {
    raw = await startRawPod(answer);
    const pod_address = `http://127.0.0.1:${raw.port}`;
    await running.dispatcher.report({ pod_id: 'raw', task: 'llm', model_name: 'raw', pod_address });
  }

  async function collect(model: string, options = anonymous): Promise<ChatEvent[]> {
    const events: ChatEvent[] = [];
    for await (const event of running.inference.chat({ ...input, model }, options)) events.push(event);
    return events;
  }

  it('streams an answer and its usage', async () => {
    const usage = { promptTokens: 12, completionTokens: 3, cachedTokens: undefined };
    expect(await collect('mock')).toEqual([
      { type: 'text', choice: 0, text: 'Hel' },
      { type: 'text', choice: 0, text: 'lo' },
      { type: 'text', choice: 0, text: '.' },
      { type: 'usage', usage },
    ]);
    expect(await running.inference.ask(input, anonymous)).toMatchObject({ text: 'Hello.', usage });
  });

  it('puts Cyrillic and emoji together that are split between chunks, and reads CRLF', async () => {
    const text = 'Здравствуйте, 👩‍🚒!';
    const stream = Buffer.from(`${delta({ content: text })}data: [DONE]\n\n`.replaceAll('\n', '\r\n'));
    await answerRaw((socket) => {
      socket.write(eventsHead);
      for (const byte of stream) socket.write(chunked(Buffer.of(byte)));
      socket.write('0\r\n\r\n');
    });
    expect((await running.inference.ask({ ...input, model: 'raw' }, anonymous)).text).toBe(text);
  });

  it('collects tool calls, reasoning and the reason of the end; needs no [DONE] after it', async () => {
    const call = (index: number, rest: object) => delta({ tool_calls: [{ index, ...rest }] });
    await answerRaw((socket) => {
      socket.write(eventsHead);
      socket.write(
        chunked(
          [
            delta({ role: 'assistant', content: null, reasoning_content: 'hm' }),
            call(1, { id: 'b', type: 'function', function: { name: 'two', arguments: '' } }),
            call(0, { id: 'a', function: { name: 'one', arguments: '{"a"' } }),
            call(0, { function: { arguments: ':1}' } }),
            delta({}, 'tool_calls'),
          ].join(''),
        ),
      );
      socket.write('0\r\n\r\n');
    });
    expect(await running.inference.ask({ ...input, model: 'raw' }, anonymous)).toEqual({
      text: '',
      reasoning: 'hm',
      toolCalls: [
        { id: 'a', name: 'one', arguments: '{"a":1}' },
        { id: 'b', name: 'two', arguments: '' },
      ],
      finishReason: 'tool_calls',
      usage: undefined,
    });
  });

  it.each([
    ['ends without [DONE] or an end of its choice', `${delta({ content: 'half' })}`, 'UpstreamFailed'],
    ['ends in the middle of an event', `${delta({ content: 'half' })}data: [DO`, 'UpstreamFailed'],
    [
      'is aborted by the engine',
      `${delta({ content: 'half' })}${delta({}, 'abort')}data: [DONE]\n\n`,
      'UpstreamFailed',
    ],
    ['has an error instead of a chunk', `data: {"error":{"message":"no","code":400}}\n\n`, 'BadRequest'],
    ['has something that is not JSON', 'data: {oops\n\n', 'UpstreamFailed'],
  ])('throws where the stream %s', async (_title, stream, name) => {
    await answerRaw(
      (socket) =>
        void socket.write(
          Buffer.concat([Buffer.from(eventsHead), chunked(stream), Buffer.from('0\r\n\r\n')]),
        ),
    );
    await expect(running.inference.ask({ ...input, model: 'raw' }, anonymous)).rejects.toMatchObject({
      name,
    });
  });

  it('throws where the pod dies in the middle', async () => {
    pod.answer = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(chatEvent('one'), () => setTimeout(() => response.socket?.resetAndDestroy(), 20));
    };
    const events: ChatEvent[] = [];
    const reading = (async () => {
      for await (const event of running.inference.chat(input, anonymous)) events.push(event);
    })();
    await expect(reading).rejects.toMatchObject({ name: 'Unavailable', code: 'pod_unavailable' });
    expect(events).toEqual([{ type: 'text', choice: 0, text: 'one' }]);
  });

  it('an abort before the first byte ends the request at the pod', async () => {
    pod.answer = () => undefined;
    const stop = new AbortController();
    const asking = running.inference.ask(input, { ...anonymous, signal: stop.signal });
    await until('the pod has it', () => pod.requests.length === 1);
    stop.abort(new Error('changed my mind'));
    await expect(asking).rejects.toThrow('changed my mind');
    await until('the pod is rid of it', () => pod.requests[0]?.aborted);
  });

  it('an abort before the call sends nothing', async () => {
    const signal = AbortSignal.abort(new Error('already'));
    await expect(running.inference.ask(input, { ...anonymous, signal })).rejects.toThrow('already');
    expect(pod.requests).toEqual([]);
  });

  it.each(['abort', 'break'])(
    'an end after the first byte by %s ends the request at the pod',
    async (how) => {
      pod.answer = (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const timer = setInterval(() => response.write(chatEvent('more')), 5);
        response.on('close', () => clearInterval(timer));
      };
      const stop = new AbortController();
      const reading = (async () => {
        for await (const _event of running.inference.chat(input, { ...anonymous, signal: stop.signal })) {
          if (how === 'break') break;
          stop.abort(new Error('enough'));
        }
      })();
      if (how === 'abort') await expect(reading).rejects.toThrow('enough');
      else await reading;
      await until('the pod is rid of it', () => pod.requests[0]?.aborted);
    },
  );

  it('a consumer that stands still stops the pod, and loses nothing', async () => {
    const word = 'x'.repeat(10_000);
    const words = 4000;
    let written = 0;
    pod.answer = async (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (; written < words; written++) {
        if (!response.write(chatEvent(word))) await new Promise((resolve) => response.once('drain', resolve));
      }
      response.end('data: [DONE]\n\n');
    };
    let read = 0;
    for await (const event of running.inference.chat(input, anonymous)) {
      if (event.type !== 'text') continue;
      if (read === 0) {
        await untilStill('the pod stands still', () => written);
        expect(written).toBeLessThan(words);
      }
      read++;
    }
    expect([read, written]).toEqual([words, words]);
  });

  it('refusals have the meaning that they have at the dispatcher', async () => {
    const failing = (model: string, more: object = {}) =>
      running.inference.ask({ ...input, model, ...more }, anonymous).catch((error: unknown) => error);
    expect(await failing('nobody')).toMatchObject({
      name: 'NotFound',
      code: 'model_not_found',
      param: 'model',
    });
    expect(await failing('mock', { temperature: 'hot' })).toMatchObject({
      name: 'InvalidInput',
      issues: [{ loc: ['body', 'temperature'] }],
    });
    for (const [status, name] of [
      [400, 'BadRequest'],
      [401, 'UpstreamFailed'],
      [429, 'RateLimited'],
      [500, 'UpstreamFailed'],
    ] as const) {
      pod.answer = answerJson({ error: { message: 'words', type: 'x', param: null, code: null } }, status);
      expect(await failing('mock')).toMatchObject({ name });
    }
    await pod.kill();
    expect(await failing('mock')).toMatchObject({ name: 'Unavailable', retryAfter: 5 });
  });

  it('does not try again by itself, and does before the first byte where told so', async () => {
    pod.answer = answerJson({ error: { message: 'busy' } }, 503);
    await expect(running.inference.ask(input, anonymous)).rejects.toMatchObject({ name: 'Unavailable' });
    expect(pod.requests).toHaveLength(1);
    const asking = running.inference.ask(input, { ...anonymous, retries: 5 });
    await until('it was tried', () => pod.requests.length >= 3);
    pod.answer = answerChat;
    expect((await asking).text).toBe('Hello.');
  });
});

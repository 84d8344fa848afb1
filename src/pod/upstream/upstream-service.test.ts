import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ScriptedPod, startPodOver, startScriptedPod } from '../../../test/testkit/pods/scripted-pod.ts';
import { until } from '../../../test/testkit/until.ts';
import type { UpstreamEngine } from '../engine.ts';
import { attachOpenai } from '../engines/openai/attach-openai.ts';
import type { Pod } from '../serving/pod.ts';
import { upstreamService } from './upstream-service.ts';

describe('a pod in front of a server that speaks OpenAI’s API', () => {
  let behind: ScriptedPod;
  let engine: UpstreamEngine;
  let front: { address: string; pod: Pod; close(): Promise<void> };

  beforeEach(async () => {
    behind = await startScriptedPod();
    engine = await attachOpenai({ baseUrl: behind.address, servedModelName: 'mine', timing: { watch: 50 } });
    front = await startPodOver(engine, 'mine', upstreamService);
  });
  afterEach(async () => {
    await front.close();
    await engine.close();
    await behind.close();
  });

  const post = (path: string, body: unknown, address = front.address) =>
    fetch(address + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const ask = (content: string, more: object = {}) => ({
    model: 'mine',
    messages: [{ role: 'user', content }],
    ...more,
  });

  test('passes requests and answers on, whole and streamed, by its own name for the model', async () => {
    const client = new OpenAI({ baseURL: `${front.address}/v1`, apiKey: 'none', maxRetries: 0 });
    const messages = [{ role: 'user' as const, content: 'say привет мир' }];
    const whole = await client.chat.completions.create({
      model: 'mine',
      messages,
      top_k: 7,
    } as OpenAI.ChatCompletionCreateParamsNonStreaming);
    expect(whole.choices[0]?.message.content).toBe(' привет мир');
    expect(behind.engine.requests[0]?.sampling).toEqual({ topK: 7 });
    const stream = await client.chat.completions.create({
      model: 'mine',
      messages,
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = '';
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
    expect(text).toBe(' привет мир');
    await until('both are counted', () => front.pod.statistics.snapshot().requests_success_total === 2);
    expect(front.pod.statistics.snapshot()).toMatchObject({
      requests_prompt_tokens: 6,
      requests_completion_tokens: 4,
    });
  });

  test('the server’s own refusals come through as they are', async () => {
    const answer = await post('/v1/chat/completions', ask('long'));
    const direct = await post('/v1/chat/completions', { ...ask('long'), model: 'scripted' }, behind.address);
    expect([answer.status, await answer.json()]).toEqual([400, await direct.json()]);
  });

  test('adapters of the server are asked for by name, unknown ones are not found here', async () => {
    await behind.engine.loadAdapter('legal', '/l');
    await until('it is seen', () => engine.adapters().includes('legal'));
    expect((await post('/v1/chat/completions', ask('say x', { model: 'legal' }))).status).toBe(200);
    expect(behind.engine.requests.at(-1)?.adapter).toBe('legal');
    const unknown = await post('/v1/chat/completions', ask('say x', { model: 'other' }));
    expect([unknown.status, await unknown.json()]).toMatchObject([
      404,
      { error: { code: 'model_not_found' } },
    ]);
    expect((await post('/v1/chat/completions', '{"model":')).status).toBe(400);
  });

  test('a disconnecting client aborts the request to the server', async () => {
    for (const content of ['forever', 'slow']) {
      const body = JSON.stringify(ask(content, { stream: true }));
      const socket = connect(Number(new URL(front.address).port), '127.0.0.1');
      socket.write(
        `POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      );
      await until('the engine runs', () => behind.engine.running === 1);
      socket.destroy();
      await until('the engine is free', () => behind.engine.running === 0);
    }
  });

  test('a server that dies in mid-stream ends the stream with an error event', async () => {
    const sockets = new Set<Socket>();
    const dying = createServer((request, response) => {
      if (request.method === 'GET') return response.end('{"object":"list","data":[{"id":"m"}]}');
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"choices":[]}\n\n', () => setTimeout(() => response.destroy(), 20));
    });
    dying.on('connection', (socket) => sockets.add(socket));
    await new Promise<void>((resolve) => dying.listen(0, '127.0.0.1', resolve));
    const attached = await attachOpenai({
      baseUrl: `http://127.0.0.1:${(dying.address() as AddressInfo).port}`,
    });
    const pod = await startPodOver(attached, 'mine', upstreamService);
    const text = await (await post('/v1/chat/completions', ask('x', { stream: true }), pod.address)).text();
    expect(text).toMatch(
      /^data: \{"choices":\[\]\}\n\nevent: error\ndata: \{"error":.*in the middle of its response/,
    );
    await pod.close();
    await attached.close();
    for (const socket of sockets) socket.destroy();
    dying.close();
  });

  test('an unavailable server: 503 with a retry time', async () => {
    await behind.close();
    await until('it is missed', () => !engine.state().ready);
    const answer = await post('/v1/chat/completions', ask('say x'));
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '2']);
  });
});

import { execFile } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningDispatcher, startDispatcher } from '../testkit/dispatcher.ts';
import { cacheFolder } from '../testkit/machine/cache-folder.ts';
import { answerChat, chatAnswer, chatEvent, type MockPod, startMockPod } from '../testkit/pods/mock-pod.ts';
import { requirement } from '../testkit/requirement.ts';

const run = promisify(execFile);

const python = await requirement('python openai', async () => {
  const folder = cacheFolder('python-openai');
  if (existsSync(join(folder, 'ready'))) return;
  await run('python3', ['-m', 'venv', folder], { timeout: 120_000 });
  await run(join(folder, 'bin', 'pip'), ['install', '-q', 'openai'], { timeout: 300_000 });
  writeFileSync(join(folder, 'ready'), '');
});

const toolAnswer = {
  ...chatAnswer,
  choices: [
    {
      index: 0,
      finish_reason: 'tool_calls',
      message: {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 't1', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } },
        ],
      },
    },
  ],
};

describe('clients that were written for OpenAI', () => {
  let dispatcher: RunningDispatcher;
  let pod: MockPod;

  beforeAll(async () => {
    dispatcher = await startDispatcher();
    pod = await startMockPod(async (request, response) => {
      const json = (value: unknown) =>
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
      if (request.path === '/v1/audio/transcriptions') return void json({ text: 'hello' });
      if (request.path === '/v1/audio/speech') {
        return void response
          .writeHead(200, { 'content-type': 'audio/wav' })
          .end(Buffer.from([82, 73, 70, 70, 0, 255]));
      }
      if (request.path === '/v1/embeddings') {
        const embedding = Buffer.from(new Float32Array([0.5, -1]).buffer).toString('base64');
        return void json({
          object: 'list',
          model: 'emb',
          data: [{ object: 'embedding', index: 0, embedding }],
          usage: { prompt_tokens: 1, total_tokens: 1 },
        });
      }
      const { tools, messages, stream } = JSON.parse(request.body.toString());
      if (tools) return void json(toolAnswer);
      if (stream && messages[0].content === 'break off') {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        return void response.write(chatEvent('one'), () =>
          setTimeout(() => response.socket?.resetAndDestroy(), 20),
        );
      }
      return answerChat(request, response);
    });
    for (const [task, model_name] of [
      ['llm', 'mock'],
      ['embeddings', 'emb'],
      ['tts', 'voice'],
      ['asr', 'whisper'],
    ] as const) {
      await dispatcher.report({ pod_id: task, task, model_name, pod_address: pod.url });
    }
  });
  afterAll(async () => {
    await dispatcher.close();
    await pod.kill();
  });

  it('OpenAI’s own for Node works unchanged', async () => {
    const client = new OpenAI({ baseURL: `${dispatcher.url}/v1`, apiKey: 'dummy', maxRetries: 0 });
    const messages = [{ role: 'user' as const, content: 'Hi' }];
    const answer = await client.chat.completions.create({ model: 'mock', messages });
    expect(answer.choices[0]?.message.content).toBe('Hello.');

    let [text, usage] = ['', 0];
    const stream = {
      model: 'mock',
      messages,
      stream: true,
      stream_options: { include_usage: true },
    } as const;
    for await (const chunk of await client.chat.completions.create({ ...stream, messages })) {
      text += chunk.choices[0]?.delta.content ?? '';
      usage = chunk.usage?.total_tokens ?? usage;
    }
    expect([text, usage]).toEqual(['Hello.', 15]);

    const tools = [
      { type: 'function' as const, function: { name: 'weather', parameters: { type: 'object' } } },
    ];
    const choice = { type: 'function' as const, function: { name: 'weather' } };
    const called = await client.chat.completions.create({
      model: 'mock',
      messages,
      tools,
      tool_choice: choice,
    });
    expect(called.choices[0]?.message.tool_calls?.[0]).toMatchObject({ function: { name: 'weather' } });

    const vectors = await client.embeddings.create({ model: 'emb', input: ['x'] });
    expect(vectors.data[0]?.embedding).toEqual([0.5, -1]);

    const speech = await client.audio.speech.create({ model: 'voice', input: 'hi', voice: 'alloy' });
    expect([...new Uint8Array(await speech.arrayBuffer())]).toEqual([82, 73, 70, 70, 0, 255]);

    const file = await toFile(Buffer.alloc(100_000, 'a'), 'speech.wav');
    expect(await client.audio.transcriptions.create({ model: 'whisper', file })).toEqual({ text: 'hello' });

    expect((await client.models.list()).data.map((model) => model.id)).toEqual([
      'emb',
      'mock',
      'voice',
      'whisper',
    ]);
    const unknown = client.chat.completions.create({ model: 'nobody', messages });
    await expect(unknown).rejects.toMatchObject({ status: 404, code: 'model_not_found' });

    const broken = await client.chat.completions.create({
      model: 'mock',
      messages: [{ role: 'user', content: 'break off' }],
      stream: true,
    });
    await expect(async () => {
      for await (const _chunk of broken);
    }).rejects.toThrow(/pod/);
  });

  it.skipIf(!python.available)(
    'OpenAI’s own for Python works unchanged',
    async () => {
      const script = join(import.meta.dirname, 'openai_client.py');
      const interpreter = join(cacheFolder('python-openai'), 'bin', 'python');
      const { stdout } = await run(interpreter, [script, `${dispatcher.url}/v1`], { timeout: 100_000 });
      expect(JSON.parse(stdout)).toEqual({
        answer: 'Hello.',
        streamed: 'Hello.',
        usage: 15,
        tool: 'weather',
        embedding: [0.5, -1],
        speech: [82, 73, 70, 70, 0, 255],
        transcription: 'hello',
        models: ['emb', 'mock', 'voice', 'whisper'],
        unknown: 'model_not_found',
        broken: 'APIError',
      });
    },
    120_000,
  );
});

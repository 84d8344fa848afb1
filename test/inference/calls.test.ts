import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunningInference, startInference, transports } from '../testkit/inference.ts';
import { answerJson, type MockPod, type ReceivedRequest, startMockPod } from '../testkit/pods/mock-pod.ts';
import { startRawPod } from '../testkit/pods/raw-pod.ts';
import { until, untilStill } from '../testkit/until.ts';

const never = new AbortController().signal;
const options = { credentials: { authorization: undefined }, signal: never };

describe.each(transports)('inference %s', (kind) => {
  let running: RunningInference;
  let pod: MockPod;

  beforeEach(async () => {
    running = await startInference(kind);
    pod = await startMockPod();
    for (const [task, model_name] of [
      ['llm', 'mock'],
      ['rerank', 'ranker'],
      ['tts', 'voice'],
      ['asr', 'whisper'],
    ] as const) {
      await running.dispatcher.report({ pod_id: task, task, model_name, pod_address: pod.url });
    }
  });
  afterEach(async () => {
    await running.close();
    await pod.kill().catch(() => undefined);
  });

  const sent = (): unknown => JSON.parse(pod.requests.at(-1)?.body.toString() ?? 'null');

  it('lists what is served', async () => {
    const models = await running.inference.models(options);
    expect(models.map(({ id, task }) => [id, task])).toEqual([
      ['mock', 'llm'],
      ['ranker', 'rerank'],
      ['voice', 'tts'],
      ['whisper', 'asr'],
    ]);
  });

  it('counts the tokens of a prompt, or fails where nobody can', async () => {
    pod.answer = answerJson({ count: 7, max_model_len: 100, tokens: [] });
    const messages = [{ role: 'user', content: 'Hi' }] as const;
    expect(await running.inference.countTokens({ model: 'mock', messages }, options)).toBe(7);
    expect([pod.requests.at(-1)?.path, sent()]).toEqual(['/tokenize', { model: 'mock', messages }]);
    pod.answer = answerJson({ error: 'no' }, 404);
    await expect(running.inference.countTokens({ model: 'mock', messages }, options)).rejects.toThrow();
  });

  it('completes a prompt, with the probabilities of its tokens', async () => {
    const logprobs = {
      tokens: ['Once', ' upon'],
      token_logprobs: [null, -0.5],
      top_logprobs: null,
      text_offset: [0, 4],
    };
    const choice = { index: 0, text: 'Once upon', finish_reason: 'length', logprobs };
    const usage = { prompt_tokens: 1, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 1 } };
    pod.answer = answerJson({ choices: [choice], usage, surprise: true });
    const input = { model: 'mock', prompt: 'Once', echo: true, logprobs: 1, max_tokens: 1 };
    expect(await running.inference.complete(input, options)).toEqual({
      choices: [
        {
          text: 'Once upon',
          finishReason: 'length',
          tokens: [
            { text: 'Once', logprob: null },
            { text: ' upon', logprob: -0.5 },
          ],
        },
      ],
      usage: { promptTokens: 1, completionTokens: 1, cachedTokens: 1 },
    });
    expect(sent()).toMatchObject(input);
  });

  it('ranks documents, best first, and refuses ranks of documents that were not sent', async () => {
    const ranked = (...pairs: [number, number][]) =>
      answerJson({
        results: pairs.map(([index, relevance_score]) => ({ index, relevance_score })),
        usage: null,
      });
    const input = { model: 'ranker', query: 'кот', documents: ['собака', 'кошка', 'дом'], top: 2 };
    pod.answer = ranked([0, 0.1], [1, 0.9], [2, 0.2]);
    expect((await running.inference.rerank(input, options)).results).toEqual([
      { index: 1, score: 0.9 },
      { index: 2, score: 0.2 },
    ]);
    expect(sent()).toMatchObject({ query: 'кот', top_n: 2 });
    for (const answer of [ranked([3, 1]), ranked([0, 1], [0, 1])]) {
      pod.answer = answer;
      const ranking = running.inference.rerank(input, { ...options, retries: 0 });
      await expect(ranking).rejects.toMatchObject({ name: 'UpstreamFailed' });
    }
    expect(await running.inference.rerank({ ...input, documents: [] }, options)).toMatchObject({
      results: [],
    });
  });

  it('tries a ranking again whose answer was cut off', async () => {
    pod.answer = (_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"results":', () => response.socket?.resetAndDestroy());
      pod.answer = answerJson({ results: [{ index: 0, relevance_score: 1 }] });
    };
    const ranking = await running.inference.rerank(
      { model: 'ranker', query: 'q', documents: ['d'] },
      options,
    );
    expect(ranking.results).toEqual([{ index: 0, score: 1 }]);
    expect(pod.requests).toHaveLength(2);
  });

  it('speaks: bytes as they come, and an error where they end too early', async () => {
    let finish = () => {};
    pod.answer = (_request, response) => {
      response.writeHead(200, { 'content-type': 'audio/wav' });
      response.write(Buffer.from([0, 255, 128]));
      finish = () => void response.end(Buffer.from([13, 10]));
    };
    const speech = await running.inference.speak(
      { model: 'voice', input: 'Привет', voice: 'alloy' },
      options,
    );
    expect(speech.mediaType).toBe('audio/wav');
    const bytes: number[] = [];
    for await (const piece of speech.audio) {
      bytes.push(...piece);
      if (bytes.length === 3) finish();
    }
    expect(bytes).toEqual([0, 255, 128, 13, 10]);

    pod.answer = (_request, response) => {
      response.writeHead(200, { 'content-type': 'audio/wav' });
      response.write(Buffer.from([1]), () => setTimeout(() => response.socket?.resetAndDestroy(), 20));
    };
    const broken = await running.inference.speak({ model: 'voice', input: 'x' }, options);
    await expect(Readable.from(broken.audio).toArray()).rejects.toMatchObject({
      name: 'UpstreamFailed',
      code: 'answer_cut_off',
    });
  });

  describe('transcribe', () => {
    const form = async ({ body, headers }: ReceivedRequest) =>
      new Response(new Uint8Array(body), {
        headers: { 'content-type': headers['content-type'] ?? '' },
      }).formData();
    const audio = Buffer.alloc(300_000, 'sound of \r\n--trains ');
    async function* pieces(bytes: Buffer, size = 10_000) {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    }

    it.each([
      ['a buffer', () => ({ audio })],
      ['a stream', () => ({ audio: pieces(audio) })],
      ['a stream of known size', () => ({ audio: pieces(audio), size: audio.length })],
    ])('uploads %s', async (_title, source) => {
      pod.answer = answerJson({ text: 'чух-чух', usage: { type: 'duration', seconds: 3 } });
      const input = {
        model: 'whisper',
        filename: 'по"езд.wav',
        mediaType: 'audio/wav',
        language: 'ru',
        ...source(),
      };
      expect(await running.inference.transcribe(input, options)).toEqual({
        text: 'чух-чух',
        usage: undefined,
      });
      const received = await form(pod.requests[0] as ReceivedRequest);
      const file = received.get('file') as File;
      expect([received.get('model'), received.get('language'), file.name, file.type]).toEqual([
        'whisper',
        'ru',
        'по"езд.wav',
        'audio/wav',
      ]);
      expect(Buffer.from(await file.arrayBuffer()).equals(audio)).toBe(true);
    });

    it('reads the source no faster than the pod, and lets go of it on an abort', async () => {
      let [pulled, left] = [0, false];
      async function* endless() {
        try {
          for (;;) yield Buffer.alloc(65_536, pulled++ % 256);
        } finally {
          left = true;
        }
      }
      const deaf = await startRawPod(() => undefined, {
        onConnection: (socket) => void setImmediate(() => socket.pause()),
      });
      const pod_address = `http://127.0.0.1:${deaf.port}`;
      await running.dispatcher.report({ pod_id: 'deaf', task: 'asr', model_name: 'deaf', pod_address });
      const stop = new AbortController();
      const call = { ...options, signal: stop.signal };
      const waiting = running.inference.transcribe({ model: 'deaf', filename: 'a', audio: endless() }, call);
      await untilStill('the source stands still', () => pulled);
      expect(pulled).toBeLessThan(1000);
      stop.abort(new Error('enough'));
      await expect(waiting).rejects.toThrow('enough');
      await until('the source is let go', () => left);
      await deaf.close();
    });

    it('throws what the source throws', async () => {
      async function* broken() {
        yield Buffer.alloc(100_000);
        throw new Error('the disk is gone');
      }
      const call = running.inference.transcribe(
        { model: 'whisper', filename: 'a', audio: broken() },
        options,
      );
      await expect(call).rejects.toThrow('the disk is gone');
    });

    it('is told of a refusal, and lets go of the source', async () => {
      const long = Readable.from(pieces(Buffer.alloc(1_300_000)), { objectMode: false });
      const call = running.inference.transcribe({ model: 'nobody', filename: 'a', audio: long }, options);
      await expect(call).rejects.toMatchObject({ name: 'NotFound', code: 'model_not_found' });
      expect(long.destroyed).toBe(true);
    });
  });

  it('fails as unavailable once the dispatcher is closed', async () => {
    pod.answer = () => undefined;
    const input = { model: 'mock', messages: [{ role: 'user', content: 'Hi' }] } as const;
    const waiting = running.inference.ask(input, options).catch((error: unknown) => error);
    await until('the pod has it', () => pod.requests.length === 1);
    await running.dispatcher.close();
    expect(await waiting).toMatchObject({ name: 'Unavailable' });
    await expect(running.inference.ask(input, options)).rejects.toMatchObject({ name: 'Unavailable' });
    running = await startInference(kind);
  });
});

import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunningInference, startInference, transports } from '../testkit/inference.ts';
import { answerJson, type MockPod, type ReceivedRequest, startMockPod } from '../testkit/pods/mock-pod.ts';
import { until, untilStill } from '../testkit/until.ts';

const never = new AbortController().signal;
const options = { model: 'emb', credentials: { authorization: undefined }, signal: never };

/** The vector of a text is its number, and the number's negative. */
const vectorOf = (text: string) => Float32Array.of(Number(text.split(' ')[0]), -Number(text.split(' ')[0]));
const base64 = (vector: Float32Array) => Buffer.from(vector.buffer).toString('base64');

function embedding(request: ReceivedRequest, encode: (vector: Float32Array) => unknown = base64) {
  const { input } = JSON.parse(request.body.toString()) as { input: string[] };
  const data = input.map((text, index) => ({
    index,
    object: 'embedding',
    embedding: encode(vectorOf(text)),
  }));
  return {
    object: 'list',
    data: data.reverse(),
    usage: { prompt_tokens: input.length, total_tokens: input.length },
  };
}

describe.each(transports)('embed %s', (kind) => {
  let running: RunningInference;
  let pod: MockPod;

  beforeEach(async () => {
    running = await startInference(kind);
    pod = await startMockPod((request, response) => answerJson(embedding(request))(request, response));
    await running.dispatcher.report({
      pod_id: 'e',
      task: 'embeddings',
      model_name: 'emb',
      pod_address: pod.url,
    });
  });
  afterEach(async () => {
    await running.close();
    await pod.kill().catch(() => undefined);
  });

  it('embeds 10,000 texts in order, with few at once and few ahead of the consumer', async () => {
    let [pulled, taken, furthest, atOnce, most] = [0, 0, 0, 0, 0];
    async function* texts() {
      for (; pulled < 10_000; pulled++) {
        furthest = Math.max(furthest, pulled - taken);
        yield `${pulled} ${'слово '.repeat(pulled % 7)}`;
      }
    }
    pod.answer = async (request, response) => {
      atOnce++;
      most = Math.max(most, atOnce);
      await new Promise((resolve) => setTimeout(resolve, pod.requests.length % 3));
      atOnce--;
      answerJson(embedding(request))(request, response);
    };
    let tokens = 0;
    for await (const batch of running.inference.embed(texts(), { ...options, batchTexts: 50, inFlight: 3 })) {
      expect(batch.start).toBe(taken);
      expect(batch.vectors).toEqual(batch.texts.map(vectorOf));
      taken += batch.vectors.length;
      tokens += batch.usage?.promptTokens ?? 0;
    }
    expect([taken, tokens, pod.requests.length]).toEqual([10_000, 10_000, 200]);
    expect(most).toBeLessThanOrEqual(3);
    expect(furthest).toBeLessThanOrEqual(50 * 5);
  });

  it('stops taking texts while the consumer is slow, and lets go of the source when it leaves', async () => {
    let [pulled, left] = [0, false];
    function* texts() {
      try {
        for (;;) yield String(pulled++);
      } finally {
        left = true;
      }
    }
    for await (const _batch of running.inference.embed(texts(), {
      ...options,
      batchTexts: 10,
      inFlight: 2,
    })) {
      await untilStill('no more texts are taken', () => pulled);
      expect(pulled).toBeLessThanOrEqual(10 * 4 + 1);
      break;
    }
    await until('the source is let go', () => left);
  });

  it('splits batches by characters', async () => {
    const texts = [`1 ${'a'.repeat(400)}`, `2 ${'b'.repeat(400)}`, `3 ${'c'.repeat(2000)}`, '4'];
    const sizes: number[] = [];
    for await (const batch of running.inference.embed(texts, { ...options, batchCharacters: 1000 })) {
      sizes.push(batch.texts.length);
    }
    expect(sizes).toEqual([2, 1, 1]);
  });

  it('takes vectors as numbers too, and refuses what does not fit', async () => {
    const one = async () => (await running.inference.embed(['7'], { ...options, retries: 0 }).next()).value;
    pod.answer = (request, response) =>
      answerJson({ ...embedding(request, (vector) => [...vector]), usage: null })(request, response);
    expect(await one()).toEqual({
      start: 0,
      texts: ['7'],
      vectors: [Float32Array.of(7, -7)],
      usage: undefined,
    });
    const bad = (embedding: unknown, index = 0) => ({ data: [{ index, embedding }] });
    for (const answer of [
      bad([]),
      bad('AAA='),
      bad(base64(Float32Array.of(Number.NaN))),
      bad([1], 5),
      { data: [] },
      bad([null]),
      'words',
    ]) {
      pod.answer = answerJson(answer);
      await expect(one()).rejects.toMatchObject({ name: 'UpstreamFailed' });
    }
  });

  it('waits for a pod that restarts, as long as its patience lasts', async () => {
    const busy = (_request: ReceivedRequest, response: ServerResponse) =>
      void response.writeHead(503, { 'retry-after': '0' }).end('{}');
    pod.answer = busy;
    const failing = running.inference.embed(['1'], { ...options, retries: 1 }).next();
    await expect(failing).rejects.toMatchObject({ name: 'Unavailable' });
    expect(pod.requests).toHaveLength(2);

    const waiting = running.inference.embed(['1'], { ...options, retries: 0, patience: 60_000 }).next();
    await until('it was tried', () => pod.requests.length >= 4);
    pod.answer = (request, response) => answerJson(embedding(request))(request, response);
    expect((await waiting).value).toMatchObject({ texts: ['1'] });
  });

  it('an abort ends the wait, and every request at the pod', async () => {
    pod.answer = () => undefined;
    const stop = new AbortController();
    const texts = Array.from({ length: 100 }, (_, at) => String(at));
    const waiting = running.inference
      .embed(texts, { ...options, batchTexts: 10, inFlight: 4, signal: stop.signal })
      .next();
    await until('the pod has four', () => pod.requests.length === 4);
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await until('the pod is rid of them', () => pod.requests.every(({ aborted }) => aborted));
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import reference from '../../../../test/fixtures/minilm-reference.json' with { type: 'json' };
import { miniLmFolder } from '../../../../test/testkit/models/minilm.ts';
import { requirement } from '../../../../test/testkit/requirement.ts';
import type { EmbeddingEngine } from '../../engine.ts';
import { cosine } from '../../serving/score-by-cosine.ts';
import { startOnnxEmbeddings } from './embedding-engine.ts';
import { startOnnxRerank } from './rerank-engine.ts';

const weights = await requirement('all-MiniLM-L6-v2', async () => (await miniLmFolder()) !== '');
const never = new AbortController().signal;

describe.skipIf(!weights.available)('all-MiniLM-L6-v2 by the onnx engine', () => {
  let engine: EmbeddingEngine;
  beforeAll(async () => {
    engine = await startOnnxEmbeddings({ model: await miniLmFolder(), threads: 1 });
  });
  afterAll(() => engine?.close());

  test('makes the vectors that another runtime makes, and counts the same tokens', async () => {
    for (const { text, tokens, vector } of reference.texts) {
      const answer = await engine.embed([text], {}, never);
      expect(answer.promptTokens).toBe(tokens);
      const made = (answer.vectors[0] as Float32Array).slice(0, vector.length);
      // The reference has 8-bit activations with one scale per tensor, which are this far from float activations, too.
      expect(cosine(made, Float32Array.from(vector))).toBeGreaterThan(0.985);
    }
  });

  test('makes vectors of unit length', async () => {
    const { vectors } = await engine.embed(['rail', 'Where are locomotives repaired?'], {}, never);
    for (const vector of vectors) {
      expect(vector.length).toBe(384);
      expect(Math.hypot(...vector)).toBeCloseTo(1, 4);
    }
  });

  test('takes 256 tokens, as the model says, where its tokenizer file says 128', async () => {
    expect(engine.facts).toMatchObject({ contextLength: 256, dimensions: 384, vocabularySize: 30522 });
    await expect(engine.embed(['rail '.repeat(300)], {}, never)).rejects.toMatchObject({
      code: 'context_length_exceeded',
    });
  });

  test('an abort takes back what waits', async () => {
    const many = Array.from({ length: 600 }, (_, index) => `locomotive number ${index} `.repeat(12));
    const gone = new AbortController();
    const answer = engine.embed(many, {}, gone.signal);
    const refused = expect(answer).rejects.toThrow('client went away');
    await expect.poll(() => engine.status().running).toBeGreaterThan(0);
    gone.abort(new Error('client went away'));
    await refused;
    expect(engine.status().waiting).toBe(0);
    // A request after it is answered as if nothing had been.
    expect((await engine.embed(['rail'], {}, never)).promptTokens).toBe(3);
  });

  test('reranks by likeness', async () => {
    const reranker = await startOnnxRerank({ model: await miniLmFolder(), threads: 1 });
    const documents = reference.texts.slice(1, 3).map(({ text }) => text);
    const { scores } = await reranker.score('Where are locomotives repaired?', documents, never);
    await reranker.close();
    expect(scores[0]).toBeGreaterThan((scores[1] as number) + 0.1);
  });
});

/** Its file is quantised dynamically: in a padded batch its vectors had a cosine of 0.98 with themselves. */
describe.skipIf(!weights.available).each([1, 2])('whatever the traffic, with %i thread(s)', (threads) => {
  const probe = 'The turntable is 21 metres long.';
  const others = Array.from({ length: 31 }, (_, index) =>
    `SELECT ${index}; locomotive number ${index * 977} needs coal, water & sand! `.repeat(1 + (index % 3)),
  );

  test('a text has the same vector', async () => {
    const engine = await startOnnxEmbeddings({ model: await miniLmFolder(), threads });
    const embed = async (texts: string[]) => (await engine.embed(texts, {}, never)).vectors;
    const [alone] = await embed([probe]);
    expect((await embed([probe, ...others]))[0]).toEqual(alone);
    expect((await embed([...others.toReversed(), probe])).at(-1)).toEqual(alone);
    const concurrent = await Promise.all(others.flatMap((other) => [embed([other, probe]), embed([probe])]));
    for (const vectors of concurrent) expect(vectors.at(-1)).toEqual(alone);
    await engine.close();
  });

  test('a document has the same score', async () => {
    const engine = await startOnnxRerank({ model: await miniLmFolder(), threads });
    const score = async (documents: string[]) =>
      (await engine.score('How long is the turntable?', documents, never)).scores;
    const [alone] = await score([probe]);
    expect((await score([probe, ...others]))[0]).toBe(alone);
    const concurrent = await Promise.all([...others, ...others].map((other) => score([other, probe])));
    for (const scores of concurrent) expect(scores[1]).toBe(alone);
    await engine.close();
  });
});

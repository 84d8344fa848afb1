import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EmbeddingEngine, RerankEngine } from '../src/pod/engine.ts';
import { startOnnxEmbeddings } from '../src/pod/engines/onnx/embedding-engine.ts';
import { startOnnxRerank } from '../src/pod/engines/onnx/rerank-engine.ts';
import { cosine } from '../src/pod/serving/score-by-cosine.ts';
import { dataFolderWith } from './testkit/models/catalog-model.ts';
import { requirement } from './testkit/requirement.ts';

const ids = ['universal-sentence-encoder-multilingual', 'bert-mini-reranker'];
let models = '';
const packages = await requirement('models from packages', async () => {
  models = join(await dataFolderWith(...ids), 'models');
  return true;
});
const never = new AbortController().signal;

describe.skipIf(!packages.available)('the multilingual encoder, from a package', () => {
  let engine: EmbeddingEngine;
  beforeAll(async () => {
    engine = await startOnnxEmbeddings({ model: join(models, ids[0] as string), threads: 1 });
  });
  afterAll(() => engine?.close());

  const question = 'Где ремонтируют локомотивы?';
  const others = [
    'В каком месте чинят паровозы?',
    'Where are locomotives repaired?',
    'Рецепт яблочного пирога.',
  ];

  test('has paraphrases and translations close, and unrelated texts far', async () => {
    const { vectors } = await engine.embed([question, ...others], {}, never);
    const [first, paraphrase, translation, unrelated] = vectors as [
      Float32Array,
      Float32Array,
      Float32Array,
      Float32Array,
    ];
    expect(first).toHaveLength(512);
    expect(cosine(first, paraphrase)).toBeGreaterThan(0.4);
    expect(cosine(first, translation)).toBeGreaterThan(0.5);
    expect(cosine(first, unrelated)).toBeLessThan(0.2);
  });

  /** The tokens are those of SentencePiece itself, and the values those of the model with its own tokenizer. */
  test('makes the vectors of the original', async () => {
    const spaced = '  Two   spaces and ｆｕｌｌ width… №5 ½ ';
    const { vectors, promptTokens } = await engine.embed([question, spaced], {}, never);
    expect(promptTokens).toBe(12 + 11);
    expect(cosine((vectors[0] as Float32Array).slice(0, 16), Float32Array.from(original))).toBeGreaterThan(
      0.98,
    );
  });

  test('gives a text the same vector in any batch', async () => {
    const [alone] = (await engine.embed([question], {}, never)).vectors as [Float32Array];
    const many = Array.from({ length: 40 }, (_, index) => `${others[index % 3]} ${'№'.repeat(index)}`);
    const [batched] = (await engine.embed([question, ...many], {}, never)).vectors as [Float32Array];
    expect(1 - cosine(alone, batched)).toBeLessThan(1e-6);
  });
});

describe.skipIf(!packages.available)('the cross-encoder, from a package', () => {
  let engine: RerankEngine;
  beforeAll(async () => {
    engine = await startOnnxRerank({ model: join(models, ids[1] as string), threads: 1 });
  });
  afterAll(() => engine?.close());

  const query = 'What is the capital of France?';
  const documents = [
    'Bananas are yellow.',
    'Paris is the capital and largest city of France.',
    'Berlin is the capital of Germany.',
  ];

  test('puts the answer first and the unrelated text last', async () => {
    const [unrelated, answer, near] = (await engine.score(query, documents, never)).scores as [
      number,
      number,
      number,
    ];
    expect(answer).toBeGreaterThan(near);
    expect(near).toBeGreaterThan(unrelated + 0.2);
  });

  test('gives a document the same score in any batch', async () => {
    const [alone] = (await engine.score(query, documents.slice(0, 1), never)).scores;
    const many = Array.from({ length: 40 }, (_, index) => `${documents[index % 3]} `.repeat(1 + (index % 5)));
    const { scores } = await engine.score(query, [documents[0] as string, ...many], never);
    expect(scores[0]).toBeCloseTo(alone as number, 6);
  });
});

/** The first values of the original, which onnxruntime-extensions made. */
const original = [
  -0.0267, -0.0398, 0.0071, 0.0438, -0.0019, 0.0109, 0.0442, 0.0434, -0.0787, -0.0032, 0.0697, -0.0267,
  0.0776, 0.0032, 0.0068, 0.0148,
];

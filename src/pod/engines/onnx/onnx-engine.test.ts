import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import {
  tinyId,
  writeTinyCrossEncoder,
  writeTinyEmbedder,
} from '../../../../test/testkit/models/tiny-onnx.ts';
import type { EmbeddingEngine, EngineStartFailed, RerankEngine } from '../../engine.ts';
import { startOnnxEmbeddings } from './embedding-engine.ts';
import { startOnnxRerank } from './rerank-engine.ts';

const root = mkdtempSync(join(tmpdir(), 'roundhouse-onnx-'));
const never = new AbortController().signal;
const open: { close(): Promise<void> }[] = [];
let count = 0;

afterEach(async () => {
  await Promise.all(open.splice(0).map((engine) => engine.close()));
});
afterAll(async () => {
  for (const engine of started.values()) await (await engine).close();
  rmSync(root, { recursive: true, force: true });
});

/** [PAD], [CLS], [SEP], [UNK], red, green, blue, query, passage, ":" */
const table = [
  [9, 9],
  [1, 0],
  [0, 1],
  [0, 0],
  [3, 0],
  [0, 4],
  [-5, 0],
  [0, 0],
  [0, 0],
  [0, 0],
];
const plain = {
  'modules.json': [
    { type: 'sentence_transformers.models.Transformer' },
    { type: 'sentence_transformers.models.Pooling', path: '1_Pooling' },
  ],
};
const pooled = (mode: string) => ({ ...plain, '1_Pooling/config.json': { [`pooling_mode_${mode}`]: true } });

function folder(): string {
  count += 1;
  return join(root, `model-${count}`);
}

const started = new Map<string, Promise<EmbeddingEngine>>();

/** Started once for each set of files. */
function embedder(files: Record<string, unknown> = {}): Promise<EmbeddingEngine> {
  const key = JSON.stringify(files);
  const known = started.get(key);
  if (known) return known;
  const path = folder();
  writeTinyEmbedder(path, table, files);
  const engine = startOnnxEmbeddings({ model: path, threads: 1 });
  started.set(key, engine);
  return engine;
}

async function reranker(files: Record<string, unknown> = {}): Promise<RerankEngine> {
  const path = folder();
  writeTinyCrossEncoder(path, [7, 0, 0, 0, 1, -2, 0.5, 0, 0, 0], files);
  const engine = await startOnnxRerank({ model: path, threads: 1 });
  open.push(engine);
  return engine;
}

async function vectors(
  engine: EmbeddingEngine,
  inputs: (string | number[])[],
  options = {},
): Promise<number[][]> {
  const { vectors } = await engine.embed(inputs, options, never);
  return vectors.map((vector) => [...vector].map((value) => Math.round(value * 1e4) / 1e4));
}

describe('embeddings by the onnx engine', () => {
  test.each([
    ['cls_token', [1, 0]],
    ['mean_tokens', [0.8, 1.8]],
    ['max_tokens', [3, 4]],
    ['lasttoken', [0, 1]],
    ['mean_sqrt_len_tokens', [1.7889, 4.0249]],
    // [CLS] red green green [SEP], weighted 1 to 5
    ['weightedmean_tokens', [0.4667, 2.2]],
  ])('pool by %s where the model says so', async (mode, expected) => {
    const engine = await embedder(pooled(mode));
    expect(await vectors(engine, ['red green green'])).toEqual([expected]);
  });

  test('are means of unit length where the model says nothing', async () => {
    const [vector] = await vectors(await embedder(), ['red green green']);
    expect(vector).toEqual([0.4061, 0.9138]);
  });

  test('are read from 16-bit floats too', async () => {
    const path = folder();
    writeTinyEmbedder(path, table, pooled('cls_token'), { half: true });
    const engine = await startOnnxEmbeddings({ model: path, threads: 1 });
    open.push(engine);
    const answer = await engine.embed(['red green green'], {}, never);
    expect(answer.vectors).toEqual([Float32Array.of(1, 0)]);
  });

  test('are the same alone and beside a longer text', async () => {
    const engine = await embedder(pooled('mean_tokens'));
    const [alone] = await vectors(engine, ['red']);
    expect((await vectors(engine, ['red', 'green blue'])).at(0)).toEqual(alone);
  });

  test('count every token, and know texts as token ids', async () => {
    const engine = await embedder(pooled('mean_tokens'));
    const ids = [tinyId('red'), tinyId('green')];
    const framed = [tinyId('[CLS]'), ...ids, tinyId('[SEP]')];
    const answer = await engine.embed(['red green', ids, framed], {}, never);
    expect(answer.promptTokens).toBe(12);
    const [text, ...others] = answer.vectors.map((vector) => [...vector]);
    expect(others).toEqual([text, text]);
  });

  test('begin with the prefix that the purpose asks for, once', async () => {
    const prompts = { query: 'blue ', document: 'green ' };
    const engine = await embedder({
      ...pooled('max_tokens'),
      'config_sentence_transformers.json': { prompts, default_prompt_name: null },
    });
    expect(await vectors(engine, ['red'])).toEqual([[3, 1]]);
    expect(await vectors(engine, ['red', 'green red'], { purpose: 'document' })).toEqual([
      [3, 4],
      [3, 4],
    ]);
    expect((await engine.embed(['red'], { purpose: 'query' }, never)).promptTokens).toBe(4);
  });

  test('follow the prefixes of the E5 family, whose files do not name them', async () => {
    const engine = await embedder({
      'config.json': { model_type: 'bert', _name_or_path: 'intfloat/e5-small-v2' },
    });
    // query : red, framed
    expect((await engine.embed(['red'], { purpose: 'query' }, never)).promptTokens).toBe(5);
    expect((await engine.embed(['passage: red'], { purpose: 'document' }, never)).promptTokens).toBe(5);
    expect((await engine.embed(['red'], {}, never)).promptTokens).toBe(3);
  });

  test('take as many tokens as the model, not as few as its tokenizer file says', async () => {
    const engine = await embedder({
      ...pooled('mean_tokens'),
      'sentence_bert_config.json': { max_seq_length: 6 },
    });
    expect(engine.facts.contextLength).toBe(6);
    expect((await engine.embed(['red red red red'], {}, never)).promptTokens).toBe(6);
    await expect(engine.embed(['red', 'red red red red red'], {}, never)).rejects.toMatchObject({
      status: 400,
      code: 'context_length_exceeded',
      message: expect.stringMatching(/maximum context length is 6 tokens, but input 1 has 7 tokens/),
    });
    const cut = await engine.embed(['red red red red green'], { truncate: true }, never);
    expect(cut.promptTokens).toBe(6);
    // [CLS] red red red red [SEP]
    expect([...(cut.vectors[0] as Float32Array)].map((value) => value.toFixed(3))).toEqual([
      '2.167',
      '0.167',
    ]);
  });

  test('count and list the tokens of texts, also of those that are too long for the model', async () => {
    const engine = await embedder({
      ...pooled('mean_tokens'),
      'sentence_bert_config.json': { max_seq_length: 6 },
      'tokenizer_config.json': { tokenizer_class: 'BertTokenizer' },
    });
    expect(await engine.tokenizer?.encode('red green', true)).toEqual([1, 4, 5, 2]);
    expect(await engine.tokenizer?.encode('red green', false)).toEqual([4, 5]);
    expect(await engine.tokenizer?.encode('red '.repeat(50), false)).toHaveLength(50);
    expect(await engine.tokenizer?.decode([[4, 5], [6]])).toEqual(['red green', 'blue']);
    expect(engine.tokenizerInfo?.()).toMatchObject({ tokenizer_class: 'BertTokenizer' });
  });

  test('reject an extremely long text without tokenizing it', async () => {
    const engine = await embedder({ 'sentence_bert_config.json': { max_seq_length: 6 } });
    const endless = 'red '.repeat(1_000_000);
    await expect(engine.embed([endless], {}, never)).rejects.toMatchObject({
      code: 'context_length_exceeded',
    });
    expect((await engine.embed([endless], { truncate: true }, never)).promptTokens).toBe(6);
  });

  test.each<[string, (string | number[])[], object, RegExp]>([
    ['nothing', [], {}, /input is empty/],
    ['an empty text', ['red', ''], {}, /Input 1 is empty/],
    ['no tokens', [[]], {}, /Input 0 is empty/],
    ['an unknown token', [[4, 4711]], {}, /Token 4711 is not in this model's vocabulary of 10/],
    [
      'fewer dimensions than the model has',
      ['red'],
      { dimensions: 1 },
      /2 dimensions and can't be shortened/,
    ],
  ])('refuse %s', async (_, inputs, options, message) => {
    const engine = await embedder();
    await expect(engine.embed(inputs, options, never)).rejects.toMatchObject({
      status: 400,
      message: expect.stringMatching(message),
    });
  });

  test('get shorter where the model was trained for it', async () => {
    const engine = await embedder({ 'config.json': { matryoshka_dimensions: [1, 2] } });
    expect(await vectors(engine, ['red'], { dimensions: 1 })).toEqual([[1]]);
    await expect(engine.embed(['red'], { dimensions: 3 }, never)).rejects.toMatchObject({ status: 400 });
  });

  test('are gathered from requests at the same time, each with its own', async () => {
    const engine = await embedder(pooled('max_tokens'));
    const colours = ['red', 'green', 'blue'];
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) => vectors(engine, [colours[index % 3] as string])),
    );
    expect(answers[0]).toEqual([[3, 1]]);
    expect(answers.every((answer, index) => String(answer) === String(answers[index % 3]))).toBe(true);
    expect(engine.status()).toMatchObject({ running: 0, waiting: 0 });
  });

  test('end with the signal', async () => {
    const engine = await embedder();
    await expect(engine.embed(['red'], {}, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
  });
});

describe('reranking by the onnx engine', () => {
  const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));

  test('scores pairs by a cross-encoder', async () => {
    const engine = await reranker();
    const { scores, promptTokens } = await engine.score('red', ['red red blue', 'green', ''], never);
    expect(scores[0]).toBeCloseTo(sigmoid(2.5), 5);
    expect(scores[1]).toBeCloseTo(sigmoid(-2), 5);
    expect(scores[2]).toBeCloseTo(0.5, 5);
    // [CLS] red [SEP] … [SEP]
    expect(promptTokens).toBeGreaterThanOrEqual(7 + 5);
  });

  test('cuts documents that are too long, and refuses such a query', async () => {
    const engine = await reranker({ 'sentence_bert_config.json': { max_seq_length: 6 } });
    const { scores, promptTokens } = await engine.score('red', ['red red red red', 'green green'], never);
    expect(scores[0]).toBeCloseTo(sigmoid(2), 5);
    expect(promptTokens).toBe(12);
    await expect(engine.score('red red red', ['red'], never)).rejects.toMatchObject({
      code: 'context_length_exceeded',
      param: 'query',
    });
  });

  test('compares embeddings where the model is no cross-encoder', async () => {
    const path = folder();
    writeTinyEmbedder(path, table, pooled('max_tokens'));
    const engine = await startOnnxRerank({ model: path, threads: 1 });
    open.push(engine);
    const { scores } = await engine.score('red', ['green', 'red', ''], never);
    expect(scores[1]).toBeCloseTo(1, 5);
    expect(scores[0]).toBeLessThan(0.99);
    expect(scores[2]).toBe(0);
    await expect(engine.score('', ['red'], never)).rejects.toMatchObject({ status: 400 });
  });
});

describe('starting the onnx engine', () => {
  async function failure(path: string, options = {}): Promise<EngineStartFailed> {
    return startOnnxEmbeddings({ model: path, threads: 1, ...options }).then(
      () => expect.unreachable('it started'),
      (error) => error,
    );
  }

  function broken(change: (path: string) => void, files: Record<string, unknown> = {}): string {
    const path = folder();
    writeTinyEmbedder(path, table, files);
    change(path);
    return path;
  }

  test.each<[string, () => string, object, string, RegExp]>([
    ['no folder', () => join(root, 'nowhere'), {}, 'missing-file', /No model found at/],
    [
      'no ONNX file',
      () => broken((path) => rmSync(join(path, 'model.onnx'))),
      {},
      'missing-file',
      /No ONNX file/,
    ],
    [
      'no tokenizer',
      () => broken((path) => rmSync(join(path, 'tokenizer.json'))),
      {},
      'missing-file',
      /no tokenizer/,
    ],
    [
      'half a file',
      () => broken((path) => truncateSync(join(path, 'model.onnx'), 100)),
      {},
      'corrupt-file',
      /damaged or incompletely/,
    ],
    [
      'an empty file',
      () => broken((path) => truncateSync(join(path, 'model.onnx'), 0)),
      {},
      'corrupt-file',
      /is empty/,
    ],
    [
      'a pointer',
      () =>
        broken((path) =>
          writeFileSync(join(path, 'model.onnx'), 'version https://git-lfs.github.com/spec/v1\n'),
        ),
      {},
      'corrupt-file',
      /Git LFS pointer/,
    ],
    [
      'a broken tokenizer',
      () => broken((path) => writeFileSync(join(path, 'tokenizer.json'), '{"model":')),
      {},
      'corrupt-file',
      /not valid JSON/,
    ],
    [
      'a useless tokenizer',
      () => broken((path) => writeFileSync(join(path, 'tokenizer.json'), '{}')),
      {},
      'corrupt-file',
      /can't be used/,
    ],
    [
      'another dtype',
      () => broken(() => {}),
      { dtype: 'float16' },
      'unsupported',
      /none has the dtype float16/,
    ],
    [
      'too long a context',
      () => broken(() => {}, { 'config.json': { max_position_embeddings: 8 } }),
      { maxModelLen: 9 },
      'unsupported',
      /exceeds the 8 tokens/,
    ],
    [
      'a dense layer behind it',
      () => broken(() => {}, { 'modules.json': [{ type: 'sentence_transformers.models.Dense' }] }),
      {},
      'unsupported',
      /Dense module/,
    ],
  ])('refuses %s', async (_, prepare, options, kind, message) => {
    const error = await failure(prepare(), options);
    expect(error).toMatchObject({ name: 'EngineStartFailed', failure: kind });
    expect(error.message).toMatch(message);
  });

  test('tells a cross-encoder from a model for embeddings', async () => {
    const path = folder();
    writeTinyCrossEncoder(path, new Array(10).fill(0));
    expect(await failure(path)).toMatchObject({
      failure: 'unsupported',
      message: expect.stringMatching(/task rerank/),
    });
  });
});

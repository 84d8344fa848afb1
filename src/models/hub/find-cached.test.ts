import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findCachedModel } from './find-cached.ts';

describe('findCachedModel', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'hub-home-'));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  function keep(repository: string, commit: string, files: Record<string, string>): string {
    const folder = join(home, 'hub', `models--${repository.replace('/', '--')}`);
    const snapshot = join(folder, 'snapshots', commit);
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(snapshot, path, '..'), { recursive: true });
      writeFileSync(join(snapshot, path), text);
    }
    mkdirSync(join(folder, 'refs'), { recursive: true });
    writeFileSync(join(folder, 'refs', 'main'), commit);
    return snapshot;
  }

  test('by branch, by commit, with a quantisation', () => {
    const folder = keep('org/chat', 'c0ffee', { 'm-Q4_K_M.gguf': '', 'm-Q8_0.gguf': '' });
    const found = { folder, engine: 'llamacpp', task: 'llm' };
    expect(findCachedModel(home, 'org/chat:Q8_0')).toEqual({ ...found, quantization: 'Q8_0' });
    expect(findCachedModel(home, 'org/chat@c0ffee')).toEqual({ ...found, quantization: null });
  });

  test('knows encoders, cross-encoders and what only a GPU server reads', () => {
    keep('org/encoder', 'a', { 'onnx/model.onnx': '', 'config.json': '{"architectures":["BertModel"]}' });
    keep('org/ranker', 'b', {
      'model.onnx': '',
      'config.json': '{"architectures":["BertForSequenceClassification"]}',
    });
    keep('org/weights', 'c', { 'model.safetensors': '' });
    const kinds = ['encoder', 'ranker', 'weights'].map((name) => {
      const found = findCachedModel(home, `org/${name}`);
      return [found?.engine, found?.task];
    });
    expect(kinds).toEqual([
      ['onnx', 'embeddings'],
      ['onnx', 'rerank'],
      ['vllm', 'llm'],
    ]);
  });

  test('what is not here is not found', () => {
    keep('org/chat', 'c0ffee', { 'm.gguf': '' });
    expect(findCachedModel(home, 'org/other')).toBeUndefined();
    expect(findCachedModel(home, 'org/chat@v2')).toBeUndefined();
    expect(findCachedModel(home, 'smollm2')).toBeUndefined();
  });
});

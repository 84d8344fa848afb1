import { expect, test } from 'vitest';
import { parseModelId } from '../hub/model-reference.ts';
import { isFetched, readCatalog, readHubModels } from './catalog.ts';
import { listCatalog } from './list-catalog.ts';

const catalog = readCatalog();
const hubModels = readHubModels();
const rows = listCatalog({ catalog, hubModels, isHere: (id) => id === 'Qwen/Qwen3-8B-GGUF:Q4_K_M' });

test('the catalog has models of every size and task, each under one name', () => {
  expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
  const sizes = rows.filter(({ task }) => task === 'llm').map(({ size }) => size);
  expect(sizes).toEqual(sizes.toSorted((a, b) => a - b));
  expect(sizes[0]).toBeLessThan(1e8);
  expect(sizes.at(-1)).toBeGreaterThan(1.9e10);
  for (const task of ['embeddings', 'rerank'])
    expect(rows.filter((row) => row.task === task && row.languages.includes('ru'))).not.toEqual([]);
  for (const { note, licence, origin } of rows)
    for (const text of [note, licence, origin]) expect(text).toBeTruthy();
});

test('memory covers the weights and the key-value cache', () => {
  const large = rows.find(({ id }) => id === 'qwen3-8b');
  expect(large).toMatchObject({ hub: 'Qwen/Qwen3-8B-GGUF:Q4_K_M', here: true });
  expect(large?.memory).toBeGreaterThan(5_030_000_000 + 2 * 36 * 8 * 128 * 8192 * 2);
  for (const model of hubModels) if (model.task === 'llm') expect(model.shape).toBeDefined();
});

test('names of hub models lead to ids of the hub', () => {
  for (const { model, task } of hubModels) {
    const { repository, quantization } = parseModelId(model);
    expect(repository).toMatch(/^[\w.-]+\/[\w.-]+$/);
    expect(quantization === null).toBe(task !== 'llm');
  }
});

test('what no hub has is never a starter', () => {
  const fromPackages = catalog.filter((model) =>
    model.files.some((file) => isFetched(file) && !file.sources.some((source) => 'hub' in source)),
  );
  expect(fromPackages.map(({ id, starter }) => [id, starter])).toEqual([
    ['universal-sentence-encoder-multilingual', false],
    ['bert-mini-reranker', false],
  ]);
  for (const { origin } of fromPackages) expect(origin).toContain('on PyPI');
});

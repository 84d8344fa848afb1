import { expect, test } from 'vitest';
import type { ModelRecord } from '../../models/library/model-record.ts';
import { type TrainingMachine, whyNotTrainable } from './trainable.ts';

const model: ModelRecord = {
  id: 'm',
  adapter: false,
  baseModelId: null,
  originModelId: null,
  source: 'hub',
  repository: null,
  revision: null,
  format: 'safetensors',
  folder: '/m',
  entry: '/m',
  files: ['config.json', 'model.safetensors'],
  facts: { task: 'llm', parameters: 1e9, chat_template: true },
  addedAt: 0,
};
const machine: TrainingMachine = { obstacle: null, memory: 8e9 };

test.each<[string, Partial<ModelRecord>, RegExp | null]>([
  ['a language model', {}, null],
  ['a model with unknown facts', { facts: {} }, null],
  ['a GGUF file', { format: 'gguf', files: ['m.gguf'] }, null],
  ['a split GGUF', { format: 'gguf', files: ['m-1.gguf', 'm-2.gguf'] }, /has several files/],
  ['an adapter', { adapter: true, baseModelId: 'b' }, /train its base 'b' instead/],
  ['embeddings', { facts: { task: 'embeddings' } }, /this model is for embeddings/],
  ['ONNX', { format: 'onnx' }, /onnx format/],
  ['no template', { facts: { task: 'llm', chat_template: false } }, /chat template/],
  [
    'too large for the memory',
    { facts: { parameters: 7e9 } },
    /at least 14\.7 GB of memory, but this machine has 8\.0 GB/,
  ],
  [
    'a GGUF that must be unpacked',
    { format: 'gguf', files: ['m.gguf'], facts: { parameters: 2e9 } },
    /8\.7 GB/,
  ],
])('%s', (_, change, reason) => {
  const found = whyNotTrainable({ ...model, ...change }, machine);
  if (reason === null) expect(found).toBeNull();
  else expect(found).toMatch(reason);
});

test('refuses every model if the machine lacks what training needs', () => {
  expect(whyNotTrainable(model, { ...machine, obstacle: 'no Python' })).toBe('no Python');
});

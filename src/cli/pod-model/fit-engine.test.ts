import { describe, expect, test } from 'vitest';
import { type DescribedModel, fitEngine } from './fit-engine.ts';

const model: DescribedModel = {
  model_id: 'org/one',
  adapter: false,
  task: 'llm',
  format: 'safetensors',
  quantization: null,
  folder: '/models/one',
  converted: null,
  files: [],
};
const gpu = { engines: ['llamacpp', 'onnx', 'vllm'], gpu: true } as const;
const cpu = { engines: ['llamacpp', 'onnx'], gpu: false } as const;
const chosen = (changes: Partial<DescribedModel>, machine: typeof gpu | typeof cpu, engine?: string) => {
  const fitted = fitEngine({ ...model, ...changes }, machine, { engine, adapters: 0 });
  return [fitted.engine, fitted.form];
};

describe('the engine of a model on this machine', () => {
  test.each([
    ['vLLM on a GPU', {}, gpu, ['vllm', 'safetensors']],
    [
      'vLLM on a GPU, also where there is a converted file',
      { converted: 'a.gguf' },
      gpu,
      ['vllm', 'safetensors'],
    ],
    ['llama.cpp on a CPU, with the converted file', { converted: 'a.gguf' }, cpu, ['llamacpp', 'gguf']],
    ['llama.cpp for GGUF', { format: 'gguf' as const }, gpu, ['llamacpp', 'gguf']],
    ['ONNX for embeddings', { format: 'onnx' as const, task: 'embeddings' as const }, gpu, ['onnx', 'onnx']],
  ])('%s', (_, changes, machine, expected) => {
    expect(chosen(changes, machine)).toEqual(expected);
  });

  test('as asked for', () => {
    expect(chosen({ converted: 'a.gguf' }, gpu, 'llamacpp')).toEqual(['llamacpp', 'gguf']);
  });

  test('none: says why', () => {
    expect(() => chosen({}, cpu)).toThrow(/can't serve 'org\/one': safetensors for llm needs vllm/);
    expect(() => chosen({ adapter: true, format: 'peft' }, gpu)).toThrow(/is an adapter/);
  });
});

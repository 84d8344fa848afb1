import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { optionProblems, shareGpus } from './check-engine-options.ts';
import type { PodEngine } from './dispatcher/pod-plan.ts';
import { engineOptionFields, optionsOf } from './engine-options.ts';

const fieldsOf = (engine: PodEngine, options: Parameters<typeof optionProblems>[1]) =>
  optionProblems(engine, options).map(({ field }) => field);

describe('the options of an engine', () => {
  test('have bounds', () => {
    const schema = z.object(engineOptionFields);
    const refused: Record<string, unknown>[] = [
      { max_model_len: 0 },
      { gpu_memory_utilization: 0 },
      { gpu_memory_utilization: 1.1 },
      { gpus: [] },
      { gpus: [1, 1] },
      { gpus: [-1] },
      { tensor_parallel: 0 },
      { extra_arguments: ['a\u0000b'] },
      { extra_arguments: [''] },
    ];
    for (const options of refused)
      expect(schema.safeParse(options).success, JSON.stringify(options)).toBe(false);
    expect(optionsOf(schema.parse({ gpus: null, extra_arguments: [], max_model_len: 5 }))).toEqual({
      max_model_len: 5,
    });
  });

  test('are refused where they have no effect, all at once', () => {
    const all = {
      max_model_len: 2048,
      gpu_memory_utilization: 0.5,
      gpus: [0],
      tensor_parallel: 1,
      extra_arguments: ['--seed', '1'],
    };
    expect(fieldsOf('vllm', all)).toEqual([]);
    expect(fieldsOf('llama-server', all)).toEqual(['gpu_memory_utilization']);
    expect(fieldsOf('llamacpp', all)).toEqual(['tensor_parallel', 'extra_arguments']);
    expect(fieldsOf('onnx', all)).toHaveLength(4);
    expect(fieldsOf('vllm', { gpus: [0, 1], tensor_parallel: 3 })).toEqual(['tensor_parallel']);
  });

  test.each<[PodEngine, string, string | undefined]>([
    ['vllm', '--host', '--host is not allowed: it would break the pod'],
    ['vllm', '--port=1', '--port is not allowed: it would break the pod'],
    ['vllm', '--por', '--por is not allowed: it would break the pod'],
    ['vllm', '--served_model_name', '--served_model_name is not allowed: it would break the pod'],
    ['vllm', '--api-key', '--api-key is not allowed: it would break the pod'],
    ['vllm', '--max-model-len=9', '--max-model-len is set by max_model_len'],
    ['vllm', '--enable-prefix-caching', undefined],
    ['vllm', '--max-num-seqs', undefined],
    ['llama-server', '--api-key-file', '--api-key-file is not allowed: it would break the pod'],
    ['llama-server', '-c', '-c is set by max_model_len'],
    ['llama-server', '-ngl', undefined],
    ['llama-server', '0.0.0.0', undefined],
  ])('%s %s', (engine, argument, msg) => {
    expect(optionProblems(engine, { extra_arguments: [argument] }).map((problem) => problem.msg)).toEqual(
      msg === undefined ? [] : [msg],
    );
  });
});

test('pods divide the GPUs, or share them if there are too few', () => {
  expect(shareGpus([0, 1, 2, 3], 2, undefined)).toEqual([
    [0, 1],
    [2, 3],
  ]);
  expect(shareGpus([0, 1], 1, undefined)).toEqual([[0, 1]]);
  expect(shareGpus([0, 1], 1, 1)).toEqual([[0]]);
  expect(shareGpus([0], 2, undefined)).toEqual([[0], [0]]);
  expect(shareGpus([0, 1, 2], 2, 2)).toEqual([
    [0, 1],
    [2, 0],
  ]);
});

import { expect, test } from 'vitest';
import type { PodEngine } from '../../../contracts/dispatcher/pod-plan.ts';
import { chooseEngine } from './choose-engine.ts';

interface Wishes {
  engine: PodEngine | null;
  dtype: string | null;
  adapters: number;
  gpu: boolean;
}
const plain: Wishes = { engine: null, dtype: null, adapters: 0, gpu: false };
const model = (...engines: PodEngine[]) => ({ engines, reason: null, quantization: null as string | null });
const quantised = { ...model('vllm', 'llamacpp'), quantization: 'Q4_K_M' };

test.each<[string, ReturnType<typeof model>, Partial<Wishes>, PodEngine]>([
  ['a GGUF file', model('llamacpp'), {}, 'llamacpp'],
  ['an ONNX encoder', model('onnx'), {}, 'onnx'],
  ['safetensors with a GPU', model('llamacpp', 'vllm'), { gpu: true }, 'vllm'],
  ['safetensors and its conversion without a GPU', model('vllm', 'llamacpp'), {}, 'llamacpp'],
  ['the quantisation of the file, GPU or not', quantised, { gpu: true, dtype: 'q4_k_m' }, 'llamacpp'],
  ['fp8, which only vLLM has', model('llamacpp', 'vllm'), { dtype: 'fp8' }, 'vllm'],
  ['a precision that only vLLM can choose', quantised, { dtype: 'float16' }, 'vllm'],
  [
    'a file in the precision',
    { ...model('llamacpp'), quantization: 'F16' },
    { dtype: 'float16' },
    'llamacpp',
  ],
  ['adapters', model('llamacpp'), { adapters: 3 }, 'llamacpp'],
  [
    'the engine that was asked for',
    model('llamacpp', 'llama-server'),
    { engine: 'llama-server' },
    'llama-server',
  ],
])('%s', (_, weights, wishes, engine) => {
  expect(chooseEngine(weights, { ...plain, ...wishes })).toEqual({ engine });
});

test('gives the reason and the field if there is none', () => {
  expect(chooseEngine({ ...model(), reason: 'it holds pickles alone' }, plain)).toEqual({
    refusal: 'it holds pickles alone',
    field: 'model_id',
  });
  expect(chooseEngine(model('onnx'), { ...plain, adapters: 1 })).toMatchObject({ field: 'adapter_ids' });
  expect(chooseEngine(model('llamacpp', 'vllm'), { ...plain, engine: 'onnx' })).toEqual({
    refusal: "onnx can't serve it on this machine; possible: llamacpp, vllm",
    field: 'engine',
  });
});

test('a dtype that would change nothing is refused with those that are possible', () => {
  const file = { ...model('llamacpp'), quantization: 'Q4_1' };
  for (const dtype of ['float16', 'Q8_0', 'awq']) {
    expect(chooseEngine(file, { ...plain, dtype })).toEqual({
      refusal: `${dtype} is not possible: llamacpp takes auto, Q4_1`,
      field: 'dtype',
    });
  }
  expect(chooseEngine(file, { ...plain, dtype: 'q4_1' })).toEqual({ engine: 'llamacpp' });
  expect(chooseEngine(model('llamacpp'), { ...plain, dtype: 'float32' })).toMatchObject({ field: 'dtype' });
  const encoder = { ...model('onnx'), precisions: ['float32', 'int8'] };
  expect(chooseEngine(encoder, { ...plain, dtype: 'uint8' })).toEqual({ engine: 'onnx' });
  expect(chooseEngine(encoder, { ...plain, dtype: 'float16' })).toEqual({
    refusal: 'float16 is not possible: onnx takes auto, float32, int8',
    field: 'dtype',
  });
});

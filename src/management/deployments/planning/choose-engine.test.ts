import { expect, test } from 'vitest';
import type { PodEngine } from '../../../contracts/dispatcher/pod-plan.ts';
import { chooseEngine } from './choose-engine.ts';

const plain = { dtype: null as string | null, adapters: 0, gpu: false };
const model = (...engines: PodEngine[]) => ({ engines, reason: null, quantization: null });

test.each<[string, PodEngine[], Partial<typeof plain>, PodEngine]>([
  ['a GGUF file', ['llamacpp'], {}, 'llamacpp'],
  ['an ONNX encoder', ['onnx'], {}, 'onnx'],
  ['safetensors with a GPU', ['llamacpp', 'vllm'], { gpu: true }, 'vllm'],
  ['safetensors and its conversion without a GPU', ['vllm', 'llamacpp'], {}, 'llamacpp'],
  ['a GGUF quantisation, GPU or not', ['vllm', 'llamacpp'], { gpu: true, dtype: 'Q4_K_M' }, 'llamacpp'],
  ['fp8, which only vLLM has', ['llamacpp', 'vllm'], { dtype: 'fp8' }, 'vllm'],
  ['a plain precision', ['llamacpp'], { dtype: 'float16' }, 'llamacpp'],
  ['adapters', ['llamacpp'], { adapters: 3 }, 'llamacpp'],
])('%s', (_, engines, wishes, engine) => {
  expect(chooseEngine(model(...engines), { ...plain, ...wishes })).toEqual({ engine });
});

test('gives the reason and the field if there is none', () => {
  expect(chooseEngine({ ...model(), reason: 'it holds pickles alone' }, plain)).toEqual({
    refusal: 'it holds pickles alone',
    field: 'model_id',
  });
  expect(chooseEngine(model('onnx'), { ...plain, adapters: 1 })).toMatchObject({ field: 'adapter_ids' });
  expect(chooseEngine(model('llamacpp'), { ...plain, dtype: 'awq' })).toEqual({
    refusal: "llamacpp, which can serve this model here, can't load it as awq",
    field: 'dtype',
  });
  const quantised = { ...model('llamacpp'), quantization: 'Q4_1' };
  expect(chooseEngine(quantised, { ...plain, dtype: 'q4_1' })).toEqual({ engine: 'llamacpp' });
  expect(chooseEngine(quantised, { ...plain, dtype: 'Q8_0' })).toMatchObject({
    refusal: 'its weights are Q4_1, not Q8_0',
  });
});

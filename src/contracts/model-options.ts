import { z } from 'zod';

/** Quantisations of GGUF (`Q4_K_M`, `IQ3_XS`, `MXFP4`, …), vLLM and ONNX models. */
const quantisation =
  /^(?:i?q[1-8](?:_[0-9a-z]+){0,2}|tq[12]_0|mxfp4|nvfp4|b?f16|f32|fp(?:4|8|16|32)|u?int[48]|q4f16|bnb4|bitsandbytes|awq|gptq|awq_marlin|gptq_marlin|gguf|compressed-tensors)$/i;

export const Dtype = z
  .string()
  .refine((value) => ['auto', 'float32', 'float16', 'bfloat16'].includes(value) || quantisation.test(value), {
    error: 'must be auto, float32, float16, bfloat16 or the name of a quantisation, such as Q4_K_M or fp8',
  })
  .meta({ id: 'Dtype', examples: ['auto', 'bfloat16', 'Q4_K_M'] });
export type Dtype = z.infer<typeof Dtype>;

/** At most 20 adapters per base model. */
export const AdapterIds = z
  .array(z.string().min(1))
  .max(20, 'must contain at most 20 adapters')
  .refine((ids) => new Set(ids).size === ids.length, 'must not contain an adapter twice')
  .default([]);

/** File names that exporters on the hub use for each precision of an ONNX model, those for CPUs first. */
export const onnxPrecisions: ReadonlyMap<string, RegExp> = new Map([
  ['float32', /^model\.onnx$/],
  ['float16', /^model_(fp16|float16)\.onnx$/],
  ['int8', /^model_(quantized|int8|qint8\w*|uint8|quint8\w*)\.onnx$/],
  ['int4', /^model_(q4|int4|bnb4|q4f16)\.onnx$/],
]);

/** The precision of an ONNX model that a dtype means. */
export function onnxPrecision(dtype: string): string {
  const name = dtype.toLowerCase();
  if (['fp32', 'f32'].includes(name)) return 'float32';
  if (['fp16', 'f16'].includes(name)) return 'float16';
  if (['uint8', 'q8', 'quantized'].includes(name)) return 'int8';
  if (['q4', 'uint4', 'q4f16', 'bnb4'].includes(name)) return 'int4';
  return name;
}

import type { PodEngine } from '../../../contracts/dispatcher/pod-plan.ts';
import { onnxPrecision } from '../../../contracts/model-options.ts';
import type { DeployableModel } from './deployable-models.ts';

type Weights = Pick<DeployableModel, 'quantization' | 'precisions'>;

const floats = ['float32', 'float16', 'bfloat16'];
const vllmQuantisations = [
  'fp8',
  'awq',
  'gptq',
  'awq_marlin',
  'gptq_marlin',
  'bitsandbytes',
  'compressed-tensors',
  'mxfp4',
  'nvfp4',
  'gguf',
];

/** The values of `dtype`, besides auto, that an engine can load these weights as. */
export function possibleDtypes(engine: PodEngine, { quantization, precisions = [] }: Weights): string[] {
  switch (engine) {
    case 'vllm':
      return [...floats, ...vllmQuantisations];
    case 'onnx':
      return [...precisions];
    case 'llamacpp':
    case 'llama-server':
      // llama.cpp loads the weights as they are in the file.
      return quantization === null ? [] : [quantization];
    case 'openai':
      return [];
  }
}

/** Whether an engine can load these weights as `dtype`. */
export function takesDtype(engine: PodEngine, weights: Weights, dtype: string | null): boolean {
  if (dtype === null) return true;
  const possible = possibleDtypes(engine, weights).map((name) => name.toLowerCase());
  if (engine === 'onnx') return possible.includes(onnxPrecision(dtype));
  return possible.includes(dtype.toLowerCase()) || possible.includes(ggufName(dtype));
}

/** `float16` is written as F16 in GGUF files. */
const ggufName = (dtype: string) => dtype.toLowerCase().replace(/^(b?)(?:float|fp)(16|32)$/, '$1f$2');

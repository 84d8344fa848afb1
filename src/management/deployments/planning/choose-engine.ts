import type { PodEngine } from '../../../contracts/dispatcher/pod-plan.ts';
import type { DeployableModel } from './deployable-models.ts';

interface Requirements {
  dtype: string | null;
  adapters: number;
  /** Whether this machine has a GPU. */
  gpu: boolean;
}

/** In order of preference: vLLM first on a GPU, llama.cpp first without one. */
const onGpu: readonly PodEngine[] = ['onnx', 'vllm', 'llama-server', 'llamacpp', 'openai'];
const onCpu: readonly PodEngine[] = ['onnx', 'llamacpp', 'llama-server', 'vllm', 'openai'];

const ggufOnly = /^(?:i?q[1-8]_.*|tq[12]_0|mxfp4)$/i;
const vllmOnly = /^(?:fp8|awq|gptq|awq_marlin|gptq_marlin|bitsandbytes|compressed-tensors|nvfp4)$/i;
const onnxOnly = /^(?:u?int[48]|q4f16|bnb4)$/i;

/** The best engine for a model on this machine, or why there is none. */
export function chooseEngine(
  model: Pick<DeployableModel, 'engines' | 'reason' | 'quantization'>,
  required: Requirements,
): { engine: PodEngine } | { refusal: string; field: 'model_id' | 'adapter_ids' | 'dtype' } {
  if (model.engines.length === 0) {
    return { refusal: model.reason ?? 'no engine on this machine can serve it', field: 'model_id' };
  }
  const withAdapters = model.engines.filter((engine) => required.adapters === 0 || engine !== 'onnx');
  if (withAdapters.length === 0) {
    return {
      refusal: 'it is served by the onnx engine, which does not support adapters',
      field: 'adapter_ids',
    };
  }
  if (required.dtype && ggufOnly.test(required.dtype) && isDifferent(model.quantization, required.dtype)) {
    return { refusal: `its weights are ${model.quantization}, not ${required.dtype}`, field: 'dtype' };
  }
  const fitting = withAdapters.filter((engine) => takes(engine, required.dtype));
  const order = required.gpu ? onGpu : onCpu;
  const engine = order.find((candidate) => fitting.includes(candidate));
  if (engine) return { engine };
  return {
    refusal: `${withAdapters.join(' and ')}, which can serve this model here, can't load it as ${required.dtype}`,
    field: 'dtype',
  };
}

const isDifferent = (have: string | null, wanted: string) =>
  have !== null && have.toLowerCase() !== wanted.toLowerCase();

function takes(engine: PodEngine, dtype: string | null): boolean {
  if (dtype === null || dtype === 'auto') return true;
  if (ggufOnly.test(dtype)) return engine === 'llamacpp' || engine === 'llama-server';
  if (vllmOnly.test(dtype)) return engine === 'vllm';
  if (onnxOnly.test(dtype)) return engine === 'onnx';
  return true;
}

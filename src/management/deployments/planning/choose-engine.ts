import type { PodEngine } from '../../../contracts/dispatcher/pod-plan.ts';
import type { DeployableModel } from './deployable-models.ts';
import { possibleDtypes, takesDtype } from './possible-dtypes.ts';

interface Requirements {
  /** Null: any. */
  engine: PodEngine | null;
  dtype: string | null;
  adapters: number;
  /** Whether this machine has a GPU. */
  gpu: boolean;
}

interface Refusal {
  refusal: string;
  field: 'model_id' | 'engine' | 'adapter_ids' | 'dtype';
}

/** In order of preference: vLLM first on a GPU, llama.cpp first without one. */
const onGpu: readonly PodEngine[] = ['onnx', 'vllm', 'llama-server', 'llamacpp', 'openai'];
const onCpu: readonly PodEngine[] = ['onnx', 'llamacpp', 'llama-server', 'vllm', 'openai'];

/** The best engine for a model on this machine, or why there is none. */
export function chooseEngine(
  model: Pick<DeployableModel, 'engines' | 'reason' | 'quantization' | 'precisions'>,
  required: Requirements,
): { engine: PodEngine } | Refusal {
  if (model.engines.length === 0) {
    return { refusal: model.reason ?? 'no engine on this machine can serve it', field: 'model_id' };
  }
  const wanted = required.engine;
  const named = wanted === null ? model.engines : model.engines.filter((engine) => engine === wanted);
  if (named.length === 0) {
    const refusal = `${wanted} can't serve it on this machine; possible: ${model.engines.join(', ')}`;
    return { refusal, field: 'engine' };
  }
  const withAdapters = named.filter((engine) => required.adapters === 0 || engine !== 'onnx');
  if (withAdapters.length === 0) {
    return {
      refusal: 'it is served by the onnx engine, which does not support adapters',
      field: 'adapter_ids',
    };
  }
  const fitting = withAdapters.filter((engine) => takesDtype(engine, model, required.dtype));
  const order = required.gpu ? onGpu : onCpu;
  const engine = order.find((candidate) => fitting.includes(candidate));
  if (engine) return { engine };
  const possible = withAdapters.map(
    (candidate) => `${candidate} takes ${['auto', ...possibleDtypes(candidate, model)].join(', ')}`,
  );
  return { refusal: `${required.dtype} is not possible: ${possible.join('; ')}`, field: 'dtype' };
}

import { shareGpus } from '../../../contracts/check-engine-options.ts';
import type { EngineOptions } from '../../../contracts/engine-options.ts';
import type { FreeMemory } from './check-memory.ts';

interface Placed {
  engine: string;
  options: EngineOptions;
  replicas: number;
}

/**
 * The GPUs of each pod of a deployment, by index; undefined if the engine is left to find GPUs itself, or if there are
 * none. vLLM would take the first GPUs, so those with the most free memory are chosen for it.
 */
export function placePods(plan: Placed, { gpus }: Pick<FreeMemory, 'gpus'>): number[][] | undefined {
  const { engine, options, replicas } = plan;
  if (options.gpus) return shareGpus(options.gpus, replicas, options.tensor_parallel);
  if (engine !== 'vllm' || gpus.length === 0) return undefined;
  const freest = gpus.toSorted((one, other) => other.free - one.free || one.index - other.index);
  const chosen = freest.slice(0, (options.tensor_parallel ?? 1) * replicas).map(({ index }) => index);
  return shareGpus(chosen, replicas, options.tensor_parallel ?? 1);
}

/** Why the pods can't be placed on the GPUs of this machine. */
export function placementProblem(
  { engine, options }: Pick<Placed, 'engine' | 'options'>,
  { gpus }: Pick<FreeMemory, 'gpus'>,
): { field: 'gpus' | 'tensor_parallel' | 'gpu_memory_utilization'; msg: string } | undefined {
  const present = gpus.map(({ index }) => index);
  const have =
    present.length === 0 ? 'this machine has no GPU' : `this machine has GPU ${present.join(', ')}`;
  const missing = options.gpus?.filter((index) => !present.includes(index)) ?? [];
  if (missing.length > 0) return { field: 'gpus', msg: `there is no GPU ${missing.join(', ')}: ${have}` };
  const wanted = options.tensor_parallel ?? 1;
  if (wanted > 1 && wanted > present.length) {
    return { field: 'tensor_parallel', msg: `${wanted} GPUs are needed, but ${have}` };
  }
  if (engine === 'llamacpp' && options.gpu_memory_utilization !== undefined && present.length === 0) {
    return { field: 'gpu_memory_utilization', msg: have };
  }
  return undefined;
}

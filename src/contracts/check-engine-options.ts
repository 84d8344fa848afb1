import type { PodEngine } from './dispatcher/pod-plan.ts';
import type { EngineOptions } from './engine-options.ts';
import { forbiddenArgument } from './forbidden-arguments.ts';

export interface OptionProblem {
  field: keyof EngineOptions;
  msg: string;
}

/** The options that have an effect on each engine. */
const taken: Record<PodEngine, readonly (keyof EngineOptions)[]> = {
  llamacpp: ['max_model_len', 'gpu_memory_utilization', 'gpus'],
  onnx: ['max_model_len'],
  vllm: ['max_model_len', 'gpu_memory_utilization', 'gpus', 'tensor_parallel', 'extra_arguments'],
  'llama-server': ['max_model_len', 'gpus', 'tensor_parallel', 'extra_arguments'],
  openai: [],
};

const reasons: Partial<Record<keyof EngineOptions, Partial<Record<PodEngine, string>>>> = {
  tensor_parallel: { llamacpp: 'llamacpp divides a model among its GPUs by itself' },
  extra_arguments: {
    llamacpp: 'llamacpp runs inside the pod and takes no arguments; vllm and llama-server do',
    onnx: 'onnx runs inside the pod and takes no arguments; vllm and llama-server do',
  },
};

/** Everything that is wrong with the options for an engine. */
export function optionProblems(engine: PodEngine, options: EngineOptions): OptionProblem[] {
  const given = Object.keys(options) as (keyof EngineOptions)[];
  const useless = given
    .filter((field) => !taken[engine].includes(field))
    .map((field) => ({ field, msg: reasons[field]?.[engine] ?? `${engine} has no such option` }));
  const tooMany = taken[engine].includes('tensor_parallel') ? tooManyGpus(options) : [];
  return [...useless, ...tooMany, ...forbidden(engine, options)];
}

function tooManyGpus({ gpus, tensor_parallel }: EngineOptions): OptionProblem[] {
  if (!gpus || !tensor_parallel || tensor_parallel <= gpus.length) return [];
  const msg = `must be at most the number of GPUs (${gpus.length}), not ${tensor_parallel}`;
  return [{ field: 'tensor_parallel', msg }];
}

function forbidden(engine: PodEngine, { extra_arguments = [] }: EngineOptions): OptionProblem[] {
  if (engine !== 'vllm' && engine !== 'llama-server') return [];
  return extra_arguments.flatMap((argument) => {
    const msg = forbiddenArgument(engine, argument);
    return msg ? [{ field: 'extra_arguments' as const, msg }] : [];
  });
}

/**
 * Divides GPUs among the pods of one deployment: each gets as many as `perPod` says, or its even share. If there are
 * too few, pods share GPUs.
 */
export function shareGpus(gpus: readonly number[], pods: number, perPod: number | undefined): number[][] {
  const each = perPod ?? Math.max(1, Math.floor(gpus.length / pods));
  return Array.from({ length: pods }, (_, pod) =>
    Array.from({ length: each }, (_, index) => gpus[(pod * each + index) % gpus.length] as number),
  );
}

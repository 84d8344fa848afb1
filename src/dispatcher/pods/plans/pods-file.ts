import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { parse } from 'yaml';
import { optionProblems, shareGpus } from '../../../contracts/check-engine-options.ts';
import { type PodPlan, PodsFile } from '../../../contracts/dispatcher/pod-plan.ts';
import { optionNames, optionsOf } from '../../../contracts/engine-options.ts';
import { type InputIssue, InvalidInput, NotFound } from '../../../contracts/problems.ts';
import { toInputIssues } from '../../../platform/http/errors/input-issues.ts';

export interface NamedPlan {
  pod_id: string;
  plan: PodPlan;
}

/** Reads and validates the list of pods. Each replica becomes a separate pod. */
export async function readPodsFile(path: string): Promise<NamedPlan[]> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new NotFound('file', basename(path));
    throw error;
  }
  const result = PodsFile.safeParse(parseYaml(text, basename(path)));
  if (!result.success) {
    const issues = toInputIssues(result.error.issues, basename(path), undefined);
    throw new InvalidInput(issues);
  }
  const { pods } = result.data;
  const problems = pods.flatMap((plan, index) => problemsOf(plan, [basename(path), 'pods', index]));
  if (problems.length > 0) throw new InvalidInput(problems);
  return nameEach(pods);
}

/** Older fields that an engine has no use for are ignored, as they always were. */
function problemsOf(plan: PodPlan, place: InputIssue['loc']): InputIssue[] {
  const { max_model_len: _length, gpu_memory_utilization: _share, ...options } = optionsOf(plan);
  const twice = options.gpus && plan.gpu_id !== undefined;
  return [
    ...(twice ? [{ field: 'gpu_id', msg: 'is another spelling of gpus; give one of them' }] : []),
    ...optionProblems(plan.engine, { ...options, ...(twice ? {} : gpusOf(plan)) }).filter(
      ({ field }) => field !== 'gpus' || plan.gpus,
    ),
  ].map(({ field, msg }) => ({ loc: [...place, field], msg, type: 'value_error' }));
}

/** The GPUs of a plan, by either spelling. */
function gpusOf({ gpus, gpu_id }: PodPlan): { gpus?: number[] } {
  if (gpus) return { gpus };
  return gpu_id === undefined ? {} : { gpus: String(gpu_id).split(',').map(Number) };
}

function parseYaml(text: string, file: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw new InvalidInput([{ loc: [file], msg: (error as Error).message, type: 'yaml_invalid' }]);
  }
}

/** Derives names from the pod's task and model, so that a pod keeps its name when others are added or removed. */
function nameEach(plans: readonly PodPlan[]): NamedPlan[] {
  const taken = new Map<string, number>();
  return plans.flatMap(({ replicas, ...given }) => {
    const plan = withoutEmpty(given);
    const { gpus } = gpusOf({ ...plan, replicas });
    const stem = `${plan.task}-${plan.served_model_name ?? plan.model_name}`
      .toLowerCase()
      .replaceAll(/[^a-z0-9._-]+/g, '-')
      .slice(0, 80);
    // One pod keeps its GPUs as they are spelled, so that its plan has not changed.
    const shares = gpus && replicas > 1 ? shareGpus(gpus, replicas, plan.tensor_parallel ?? undefined) : [];
    return Array.from({ length: replicas }, (_, index) => {
      const number = (taken.get(stem) ?? 0) + 1;
      taken.set(stem, number);
      const { gpu_id: _gpuId, ...rest } = plan;
      const own = shares[index] ? { ...rest, gpus: shares[index] } : plan;
      return { pod_id: `${stem}-${number}`, plan: { ...own, replicas: 1 } };
    });
  });
}

function withoutEmpty(plan: Omit<PodPlan, 'replicas'>): Omit<PodPlan, 'replicas'> {
  const others = Object.entries(plan).filter(([name]) => !optionNames.some((option) => option === name));
  return { ...(Object.fromEntries(others) as Omit<PodPlan, 'replicas'>), ...optionsOf(plan) };
}

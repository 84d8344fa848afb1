import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { parse } from 'yaml';
import { type PodPlan, PodsFile } from '../../contracts/dispatcher/pod-plan.ts';
import { InvalidInput, NotFound } from '../../contracts/problems.ts';
import { toInputIssues } from '../../platform/http/errors/input-issues.ts';

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
  return nameEach(result.data.pods);
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
  return plans.flatMap(({ replicas, ...plan }) => {
    const stem = `${plan.task}-${plan.served_model_name ?? plan.model_name}`
      .toLowerCase()
      .replaceAll(/[^a-z0-9._-]+/g, '-')
      .slice(0, 80);
    return Array.from({ length: replicas }, () => {
      const number = (taken.get(stem) ?? 0) + 1;
      taken.set(stem, number);
      return { pod_id: `${stem}-${number}`, plan: { ...plan, replicas: 1 } };
    });
  });
}

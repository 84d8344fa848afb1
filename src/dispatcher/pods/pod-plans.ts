import { isDeepStrictEqual } from 'node:util';
import type { PlannedPod, PlannedPods } from '../../contracts/dispatcher/pod-plan.ts';
import type { LaunchedPod, PodStarter, PodToLaunch } from '../../contracts/launching.ts';
import { NotFound } from '../../contracts/problems.ts';
import type { Database } from '../../platform/database/database.ts';
import { listPlans, replacePlans, type StoredPlan } from './plans-store.ts';
import { readPodsFile } from './pods-file.ts';
import type { PodRegistry } from './registry.ts';

export interface PlanDependencies {
  database: Database;
  launcher: PodStarter;
  registry: Pick<PodRegistry, 'forget'>;
  /** Path of `pods.yaml`. */
  file: string;
}

/**
 * Reads the file and takes up what has changed in it: new pods are created, pods that are gone from it are stopped,
 * and one that is described otherwise runs as before until it is deployed again.
 */
export async function createPods(deps: PlanDependencies): Promise<PlannedPods> {
  const wanted = await readPodsFile(deps.file);
  const before = new Map((await listPlans(deps.database)).map((stored) => [stored.pod_id, stored]));
  const after = wanted.map(({ pod_id, plan }): StoredPlan => {
    const known = before.get(pod_id);
    return known && isDeepStrictEqual(known.plan, plan) ? known : { pod_id, plan, deployed: false };
  });
  await deps.database.transaction((session) => replacePlans(session, after));
  const kept = new Set(after.map(({ pod_id }) => pod_id));
  await Promise.all(
    [...before.keys()].filter((podId) => !kept.has(podId)).map((podId) => remove(deps, podId)),
  );
  return describe(deps, after);
}

/** Starts one pod by its number, or all. */
export async function deployPods(deps: PlanDependencies, number?: number): Promise<PlannedPods> {
  const plans = await listPlans(deps.database);
  if (number !== undefined && !plans[number]) throw new NotFound('pod', String(number));
  const chosen = number === undefined ? plans : plans.filter((_, index) => index === number);
  for (const stored of chosen) {
    await deps.launcher.start(toStart(stored));
    stored.deployed = true;
  }
  await deps.database.transaction((session) => replacePlans(session, plans));
  return describe(deps, plans);
}

/** After a start of the platform: what was deployed runs again. */
export async function resumePods({ database, launcher }: PlanDependencies): Promise<void> {
  for (const stored of await listPlans(database)) if (stored.deployed) await launcher.start(toStart(stored));
}

async function remove({ launcher, registry }: PlanDependencies, podId: string): Promise<void> {
  await launcher.stop(podId);
  registry.forget(podId);
}

function describe({ launcher }: PlanDependencies, plans: readonly StoredPlan[]): PlannedPods {
  return {
    pods: plans.map(({ pod_id, plan, deployed }, id) => {
      const running = deployed ? launcher.get(pod_id) : undefined;
      return {
        id,
        pod_id,
        engine: plan.engine,
        task: plan.task,
        model_name: plan.model_name,
        served_model_name: plan.served_model_name ?? plan.model_name,
        status: deployed ? statusOf(running) : 'created',
        ...(running?.error ? { error: running.error } : {}),
      };
    }),
  };
}

function statusOf(pod: LaunchedPod | undefined): PlannedPod['status'] {
  if (!pod || pod.state === 'backing-off') return 'starting';
  return pod.state === 'crash-looping' ? 'failed' : pod.state;
}

function toStart({ pod_id, plan }: StoredPlan): PodToLaunch {
  const { engine, task, model_name, adapter_ids, gpu_id, replicas: _replicas, ...rest } = plan;
  return {
    pod_id,
    engine,
    task,
    model: model_name,
    ...(adapter_ids.length > 0 ? { adapters: adapter_ids.map((id) => ({ name: id, path: id })) } : {}),
    ...(gpu_id === undefined ? {} : { gpu_id: String(gpu_id) }),
    ...rest,
  };
}

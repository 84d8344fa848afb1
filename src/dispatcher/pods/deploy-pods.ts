import type { Actor } from '../../contracts/actor.ts';
import type { PlannedPods } from '../../contracts/dispatcher/pod-plan.ts';
import type { PodToLaunch } from '../../contracts/launching.ts';
import { NotFound } from '../../contracts/problems.ts';
import { recordAction } from '../../platform/audit/record-action.ts';
import { describePlans, type PlanDependencies } from './describe-plans.ts';
import { listPlans, replacePlans, type StoredPlan } from './plans-store.ts';

/** Starts one created pod by its number, or all of them. */
export async function deployPods(
  deps: PlanDependencies,
  actor: Actor,
  number?: number,
): Promise<PlannedPods> {
  const { database, clock, launcher, file } = deps;
  const plans = await listPlans(database);
  if (number !== undefined && !plans[number]) throw new NotFound('pod', String(number));
  const chosen = number === undefined ? plans : plans.filter((_, index) => index === number);
  for (const stored of chosen) {
    await launcher.start(toStart(stored));
    stored.deployed = true;
  }
  await database.transaction(async (session) => {
    await replacePlans(session, plans);
    const pods = chosen.map(({ pod_id }) => pod_id);
    const subject = number === undefined ? file : (pods[0] ?? file);
    await recordAction({ session, clock }, actor, { action: 'pods.deploy', subject, details: { pods } });
  });
  return describePlans(deps, plans);
}

/** Restarts the deployed pods after a restart of the platform. */
export async function resumePods({
  database,
  launcher,
}: Pick<PlanDependencies, 'database' | 'launcher'>): Promise<void> {
  for (const stored of await listPlans(database)) if (stored.deployed) await launcher.start(toStart(stored));
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

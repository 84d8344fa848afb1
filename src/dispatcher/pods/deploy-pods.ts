import type { Actor } from '../../contracts/actor.ts';
import type { PlannedPods } from '../../contracts/dispatcher/pod-plan.ts';
import type { PodToLaunch } from '../../contracts/launching.ts';
import { NotFound } from '../../contracts/problems.ts';
import { recordAction } from '../../platform/audit/record-action.ts';
import { describePlans, type PlanDependencies } from './describe-plans.ts';
import { claimPlans, listPlans, lockPlans, markDeployed, type StoredPlan } from './plans-store.ts';

/** Starts one created pod by its number, or all of them. Pods that another machine runs are left to it. */
export async function deployPods(
  deps: PlanDependencies,
  actor: Actor,
  number?: number,
): Promise<PlannedPods> {
  const { database, clock, file, machine } = deps;
  const here = await database.transaction(async (session) => {
    await lockPlans(session);
    const plans = await listPlans(session);
    if (number !== undefined && !plans[number]) throw new NotFound('pod', String(number));
    const chosen = number === undefined ? plans : plans.filter((_, index) => index === number);
    const own = chosen.filter((stored) => !stored.deployed || stored.machine === machine);
    await markDeployed(
      session,
      own.map(({ pod_id }) => pod_id),
      machine,
    );
    const pods = chosen.map(({ pod_id }) => pod_id);
    const subject = number === undefined ? file : (pods[0] ?? file);
    await recordAction({ session, clock }, actor, { action: 'pods.deploy', subject, details: { pods } });
    return own;
  });
  for (const stored of here) await startPlanned(deps, stored);
  return describePlans(deps, await listPlans(database));
}

/** Restarts the pods that this machine had deployed, after a restart of the platform. */
export async function resumePods(deps: PlanDependencies): Promise<void> {
  const { database, machine } = deps;
  await claimPlans(database, machine);
  for (const stored of await listPlans(database)) {
    if (stored.deployed && stored.machine === machine) await startPlanned(deps, stored);
  }
}

async function startPlanned({ launcher, started }: PlanDependencies, stored: StoredPlan): Promise<void> {
  started.add(stored.pod_id);
  await launcher.start(toStart(stored));
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

import type { Actor } from '../../../contracts/actor.ts';
import type { PlannedPods } from '../../../contracts/dispatcher/pod-plan.ts';
import { optionsOf } from '../../../contracts/engine-options.ts';
import type { PodToLaunch } from '../../../contracts/launching.ts';
import { NotFound } from '../../../contracts/problems.ts';
import { recordAction } from '../../../platform/audit/record-action.ts';
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
  const { engine, task, model_name, served_model_name, adapter_ids, quantization, dtype } = plan;
  const { gpus, tensor_parallel, ...options } = optionsOf(plan);
  const devices = gpus?.join(',') ?? plan.gpu_id;
  // vLLM uses one GPU unless it is told otherwise.
  const given = devices === undefined || engine !== 'vllm' ? 1 : String(devices).split(',').length;
  const together = tensor_parallel ?? given;
  return {
    pod_id,
    engine,
    task,
    model: model_name,
    ...(adapter_ids.length > 0 ? { adapters: adapter_ids.map((id) => ({ name: id, path: id })) } : {}),
    ...(served_model_name === undefined ? {} : { served_model_name }),
    ...(quantization === undefined ? {} : { quantization }),
    ...(dtype === undefined ? {} : { dtype }),
    ...(devices === undefined ? {} : { gpu_id: String(devices) }),
    ...(together > 1 ? { tensor_parallel: together } : {}),
    ...options,
  };
}

import { setTimeout as sleep } from 'node:timers/promises';
import { OutOfSpace } from '../../../../contracts/problems.ts';
import { type FreeMemory, shortageOf } from '../../memory/check-memory.ts';
import { memoryWithout } from '../../memory/memory-without.ts';
import { placePods } from '../../memory/place-pods.ts';
import type { DeploymentPlan } from '../../planning/plan-deployment.ts';
import { findDeployment, listDeployedPods } from '../../records/deployments-store.ts';
import type { DeploymentDependencies } from '../deployment-dependencies.ts';

type Dependencies = Pick<DeploymentDependencies, 'database' | 'models' | 'machine' | 'freeMemory'>;

/** How long a stopped process may take to give back its memory, in milliseconds. */
const releaseLimit = 10_000;

/**
 * Refuses a deployment that does not fit in the free memory beside the one that it replaces, or instead of it with
 * `replace`. The message has the figures.
 */
export async function refuseShortage(
  deps: Dependencies,
  plan: DeploymentPlan,
  replace: boolean,
): Promise<void> {
  const free = await deps.freeMemory();
  const old = await runningHere(deps, plan.slot);
  if (!old) return throwIf(shortage(plan, free));
  const after = shortage(plan, memoryWithout(free, old));
  if (replace) return throwIf(after && `${after}, even when '${old.model_id}' has been stopped`);
  const now = shortage(plan, free);
  const advice = after
    ? `it would not fit without '${old.model_id}' either`
    : `'${old.model_id}' serves until the new pods are ready, so both must fit; ` +
      'with "replace": true it is stopped first, and started again if the deployment fails';
  throwIf(now && `${now}; ${advice}`);
}

/** After the old pods have stopped: waits for their memory. */
export async function awaitRoom(
  { freeMemory }: Pick<Dependencies, 'freeMemory'>,
  plan: DeploymentPlan,
  signal: AbortSignal,
): Promise<void> {
  for (let waited = 0; ; waited += 500) {
    const missing = shortage(plan, await freeMemory());
    if (!missing) return;
    if (waited >= releaseLimit) throwIf(missing);
    await sleep(500, undefined, { signal });
  }
}

const shortage = (plan: DeploymentPlan, free: FreeMemory) =>
  shortageOf({ ...plan, placement: placePods(plan, free) }, free);

function throwIf(message: string | undefined): void {
  if (message) throw new OutOfSpace(message, { code: 'insufficient_memory' });
}

/** What the slot's deployment holds on this machine; undefined if it has no pods here. */
async function runningHere({ database, models, machine }: Dependencies, slot: string) {
  const deployment = await findDeployment(database, slot);
  const pods = (await listDeployedPods(database, slot)).filter(
    (pod) => pod.state === 'serving' && pod.machine === machine,
  );
  if (!deployment || pods.length === 0) return undefined;
  const memory_bytes = (await models.find(deployment.model_id))?.memory_bytes ?? null;
  return { ...deployment, memory_bytes, gpuIds: pods.map(({ spec }) => spec.gpu_id) };
}

import { randomBytes } from 'node:crypto';
import { Problem, UpstreamFailed } from '../../../../contracts/problems.ts';
import type { DeploymentPlan } from '../../planning/plan-deployment.ts';
import {
  deletePods,
  findDeployment,
  listDeployedPods,
  putPod,
  type StoredDeployment,
  type StoredPod,
} from '../../records/deployments-store.ts';
import type { DeploymentDependencies } from '../deployment-dependencies.ts';
import { awaitRoom } from './check-room.ts';
import { type DeployRun, replacePods } from './replace-pods.ts';

/** Stops the pods of the current deployment on this machine before the new ones start. */
export async function stopFirst(
  deps: DeploymentDependencies,
  current: StoredDeployment,
  plan: DeploymentPlan,
  run: DeployRun,
): Promise<void> {
  const pods = (await listDeployedPods(deps.database, plan.slot)).filter(
    ({ state, machine }) => state === 'serving' && machine === deps.machine,
  );
  const message = `stopping '${current.model_id}'`;
  run.report({ done: 0, total: plan.replicas, unit: 'pods', message });
  const spares = await storeSpares(deps, pods);
  try {
    await deps.retirement.halt(pods, deps.settings.drain_timeout, run.signal);
    await awaitRoom(deps, plan, run.signal);
    await replacePods(deps, plan, run, `replaces '${current.model_id}', which was stopped first`);
  } catch (error) {
    const isCurrent = (await findDeployment(deps.database, plan.slot))?.job_id === current.job_id;
    if (isCurrent) await startAll(deps, spares);
    if (!isCurrent || !(error instanceof Problem)) throw error;
    const words = `${error.message}; '${current.model_id}' is being started again`;
    throw new UpstreamFailed(words, { cause: error });
  }
}

/**
 * Stores the pods under new ids, because dispatchers never send requests to a retired id again. They start if the new
 * deployment fails, or with the platform if that ends before the new ones serve.
 */
async function storeSpares(
  { database, machine }: DeploymentDependencies,
  pods: readonly StoredPod[],
): Promise<StoredPod[]> {
  const spares = pods.map((pod, index) => {
    const pod_id = `${pod.slot}-again-${randomBytes(4).toString('hex')}-${index}`;
    return { ...pod, pod_id, spec: { ...pod.spec, pod_id } };
  });
  await database.transaction(async (session) => {
    await deletePods(
      session,
      pods.map(({ pod_id }) => pod_id),
      machine,
    );
    for (const spare of spares) await putPod(session, spare);
  });
  return spares;
}

async function startAll(
  { launcher, logger }: DeploymentDependencies,
  pods: readonly StoredPod[],
): Promise<void> {
  for (const { spec } of pods) {
    // Fails while the platform shuts down; its next start finds the row.
    await launcher.start(spec).catch((error) => logger.warn({ err: error }, 'could not start a pod again'));
  }
}

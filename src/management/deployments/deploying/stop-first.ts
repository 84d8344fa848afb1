import { Problem, UpstreamFailed } from '../../../contracts/problems.ts';
import type { DeploymentPlan } from '../planning/plan-deployment.ts';
import {
  deletePods,
  findDeployment,
  listDeployedPods,
  putPod,
  type StoredDeployment,
  type StoredPod,
} from '../records/deployments-store.ts';
import { awaitRoom } from './check-room.ts';
import type { DeploymentDependencies } from './deployment-dependencies.ts';
import { type DeployRun, replacePods } from './replace-pods.ts';

/**
 * Stops the pods of the current deployment on this machine before the new ones start. Their rows stay until the new
 * ones serve, so that a platform that dies in between starts the old ones again.
 */
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
  try {
    await deps.retirement.halt(pods, deps.settings.drain_timeout, run.signal);
    await awaitRoom(deps, plan, run.signal);
    await replacePods(deps, plan, run, `replaces '${current.model_id}', which was stopped first`);
  } catch (error) {
    if (!(await startAgain(deps, current, pods, run.id))) throw error;
    if (!(error instanceof Problem)) throw error;
    throw new UpstreamFailed(`${error.message}; '${current.model_id}' is being started again`, {
      cause: error,
    });
  }
}

/**
 * Starts stopped pods again. The dispatcher knows their old ids as retired, so they get new ones. Returns false if the
 * slot has been undeployed or deployed anew since.
 */
async function startAgain(
  { database, launcher, desk, machine, logger }: DeploymentDependencies,
  current: StoredDeployment,
  pods: readonly StoredPod[],
  jobId: string,
): Promise<boolean> {
  const again = pods.map((pod, index) => {
    const pod_id = `${pod.slot}-${jobId.slice(0, 8)}-again-${index}`;
    return { ...pod, pod_id, spec: { ...pod.spec, pod_id } };
  });
  const isCurrent = await database.transaction(async (session) => {
    if ((await findDeployment(session, current.slot))?.job_id !== current.job_id) return false;
    await deletePods(
      session,
      pods.map(({ pod_id }) => pod_id),
      machine,
    );
    for (const pod of again) await putPod(session, pod);
    return true;
  });
  if (!isCurrent) return false;
  for (const { pod_id } of pods) desk.forget(pod_id);
  for (const { spec } of again) {
    // Fails while the platform shuts down; its next start finds the row.
    await launcher.start(spec).catch((error) => logger.warn({ err: error }, 'could not start a pod again'));
  }
  return true;
}

import { endedStates } from '../../../platform/queue/work-item.ts';
import { claimPods, deletePods, listDeployedPods, type StoredPod } from '../records/deployments-store.ts';
import type { DeploymentDependencies } from './deployment-dependencies.ts';

/** Runs at startup: restarts the deployed pods of this machine, and discards pods that were draining or whose job has ended. */
export async function resumeDeployments(deps: DeploymentDependencies): Promise<void> {
  await claimPods(deps.database, deps.machine);
  const pods = await listDeployedPods(deps.database);
  for (const pod of pods.filter(({ machine }) => machine === deps.machine)) {
    if (pod.state === 'serving') await deps.launcher.start(pod.spec);
    else if (pod.state === 'draining' || (await isAbandoned(deps, pod))) await discard(deps, pod);
  }
}

/** A starting pod is restarted by its job, unless the job has ended. */
async function isAbandoned({ queue }: DeploymentDependencies, pod: StoredPod): Promise<boolean> {
  const job = await queue.get(pod.job_id).catch(() => undefined);
  return !job || endedStates.some((state) => state === job.state);
}

async function discard(
  { launcher, dispatcherPods, database, machine }: DeploymentDependencies,
  { pod_id }: StoredPod,
) {
  await launcher.stop(pod_id);
  dispatcherPods.forget(pod_id);
  await deletePods(database, [pod_id], machine);
}

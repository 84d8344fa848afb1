import { endedStates } from '../../../platform/queue/work-item.ts';
import { claimPods, deletePods, listDeployedPods, type StoredPod } from '../records/deployments-store.ts';
import type { DeploymentDependencies } from './deployment-dependencies.ts';

/** After a start of the platform: its own deployed pods serve again, and those on their way out are removed. */
export async function resumeDeployments(deps: DeploymentDependencies): Promise<void> {
  await claimPods(deps.database, deps.machine);
  const pods = await listDeployedPods(deps.database);
  for (const pod of pods.filter(({ machine }) => machine === deps.machine)) {
    if (pod.state === 'serving') await deps.launcher.start(pod.spec);
    else if (pod.state === 'draining' || (await isAbandoned(deps, pod))) await discard(deps, pod);
  }
}

/** A pod that was starting comes back with its job, if that continues. */
async function isAbandoned({ queue }: DeploymentDependencies, pod: StoredPod): Promise<boolean> {
  const job = await queue.get(pod.job_id).catch(() => undefined);
  return !job || endedStates.some((state) => state === job.state);
}

async function discard({ launcher, desk, database, machine }: DeploymentDependencies, { pod_id }: StoredPod) {
  await launcher.stop(pod_id);
  desk.forget(pod_id);
  await deletePods(database, [pod_id], machine);
}

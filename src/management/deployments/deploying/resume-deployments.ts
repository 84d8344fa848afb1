import { endedStates } from '../../../platform/queue/work-item.ts';
import { deletePods, listDeployedPods, type StoredPod } from '../records/deployments-store.ts';
import type { DeploymentDependencies } from './deployment-dependencies.ts';

/** After a start of the platform: what was deployed serves again, and what was on its way out is gone. */
export async function resumeDeployments(deps: DeploymentDependencies): Promise<void> {
  for (const pod of await listDeployedPods(deps.database)) {
    if (pod.state === 'serving') await deps.launcher.start(pod.spec);
    else if (pod.state === 'draining' || (await isAbandoned(deps, pod))) await discard(deps, pod);
  }
}

/** A pod that was starting comes back with its job, if that is to go on. */
async function isAbandoned({ queue }: DeploymentDependencies, pod: StoredPod): Promise<boolean> {
  const job = await queue.get(pod.job_id).catch(() => undefined);
  return !job || endedStates.some((state) => state === job.state);
}

async function discard({ launcher, desk, database }: DeploymentDependencies, { pod_id }: StoredPod) {
  await launcher.stop(pod_id);
  desk.forget(pod_id);
  await deletePods(database, [pod_id]);
}

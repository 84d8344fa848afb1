import type { PodRunner } from '../../../contracts/launching.ts';
import type { Deployment, DeployStatus, Slot } from '../../../contracts/management/deployments.ts';
import { describeJob } from '../../jobs/describe-job.ts';
import { serves } from '../pods/await-pods.ts';
import { whyAway } from '../pods/why-away.ts';
import { findDeployment, listDeployedPods } from '../records/deployments-store.ts';
import type { DeploymentDependencies } from './deployment-dependencies.ts';
import { lastJob, nothingDeployed, requestOf } from './slot-jobs.ts';

export async function getDeployment(
  deps: Pick<DeploymentDependencies, 'database' | 'dispatcherPods' | 'machine'> & {
    launcher: Pick<PodRunner, 'get'>;
  },
  slot: Slot,
): Promise<Deployment> {
  const found = await findDeployment(deps.database, slot);
  if (!found) throw nothingDeployed(slot);
  const { model_id, adapter_ids, engine, dtype, replicas, options } = found;
  const pods = (await listDeployedPods(deps.database, slot)).filter(({ state }) => state === 'serving');
  // The launcher notices a dead process immediately, the dispatcher only when its reports stop.
  const runs = (podId: string) => (deps.launcher.get(podId)?.state ?? 'running') === 'running';
  const away = pods.filter(({ pod_id, spec }) => !runs(pod_id) || !serves(deps.dispatcherPods, spec));
  const [first] = away;
  const error = first
    ? (deps.launcher.get(first.pod_id)?.error ??
      deps.dispatcherPods.problem ??
      whyAway(deps.launcher.get(first.pod_id), first.machine === deps.machine ? null : first.machine))
    : pods.length === 0
      ? 'it has no pods'
      : null;
  const ready = pods.length - away.length;
  return { model_id, adapter_ids, slot, engine, dtype, replicas, ...options, ready, error };
}

/** The slot's last job; 404 once its deployment has been undeployed. */
export async function getDeployStatus(deps: DeploymentDependencies, slot: Slot): Promise<DeployStatus> {
  const last = await lastJob(deps, slot);
  if (!last) throw nothingDeployed(slot);
  if (last.state === 'FINISHED' && !(await findDeployment(deps.database, slot))) throw nothingDeployed(slot);
  const { model_id, adapter_ids } = requestOf(last);
  return { model_id, adapter_ids, job: describeJob(last) };
}

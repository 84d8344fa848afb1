import type { PodRunner } from '../../../contracts/launching.ts';
import type { Deployment, DeployStatus, Slot } from '../../../contracts/management/deployments.ts';
import { describeJob } from '../../jobs/describe-job.ts';
import { serves } from '../pods/await-pods.ts';
import { findDeployment, listDeployedPods } from '../records/deployments-store.ts';
import type { DeploymentDependencies } from './deployment-dependencies.ts';
import { lastJob, nothingDeployed, requestOf } from './slot-jobs.ts';

export async function getDeployment(
  deps: Pick<DeploymentDependencies, 'database' | 'desk'> & { launcher: Pick<PodRunner, 'get'> },
  slot: Slot,
): Promise<Deployment> {
  const found = await findDeployment(deps.database, slot);
  if (!found) throw nothingDeployed(slot);
  const { model_id, adapter_ids, replicas } = found;
  const pods = (await listDeployedPods(deps.database, slot)).filter(({ state }) => state === 'serving');
  const notReady = pods.filter(({ spec }) => !serves(deps.desk, spec));
  const reasons = notReady.map(({ pod_id }) => deps.launcher.get(pod_id)?.error ?? null);
  const unknown = notReady.length > 0 ? (deps.desk.problem ?? null) : null;
  const error = reasons.find((reason) => reason !== null) ?? unknown;
  return { model_id, adapter_ids, replicas, ready: pods.length - notReady.length, error };
}

/** The slot's last job; 404 once its deployment has been undeployed. */
export async function getDeployStatus(deps: DeploymentDependencies, slot: Slot): Promise<DeployStatus> {
  const last = await lastJob(deps, slot);
  if (!last) throw nothingDeployed(slot);
  if (last.state === 'FINISHED' && !(await findDeployment(deps.database, slot))) throw nothingDeployed(slot);
  const { model_id, adapter_ids } = requestOf(last);
  return { model_id, adapter_ids, job: describeJob(last) };
}

import {
  type Deployment,
  type DeployRequest,
  type DeployStatus,
  Slot,
} from '../../contracts/management/deployments.ts';
import type { Job } from '../../contracts/management/jobs.ts';
import { Conflict, NotFound } from '../../contracts/problems.ts';
import type { WorkItem } from '../../platform/queue/work-item.ts';
import { describeJob } from '../jobs/describe-job.ts';
import { changesAdaptersOnly, type DeployPayload } from './deploy-kind.ts';
import type { DeploymentDependencies } from './deployment-dependencies.ts';
import { deleteDeployment, findDeployment, listDeployedPods, setPodStates } from './deployments-store.ts';
import { planDeployment } from './planning/plan-deployment.ts';
import { serves } from './pods/await-pods.ts';
import { refuseShortage } from './pods/replace-pods.ts';

const keyOf = (slot: Slot) => `deploy:${slot}`;

/** Refuses at once what can't be done, with nothing touched; the rest is a job. */
export async function startDeployment(
  deps: DeploymentDependencies,
  slot: Slot,
  request: DeployRequest,
): Promise<Job> {
  const plan = await planDeployment(deps, slot, request);
  const current = await findDeployment(deps.database, slot);
  if (!current || !changesAdaptersOnly(current, plan)) await refuseShortage(deps, plan);
  const payload: DeployPayload = { slot, request };
  const item = await deps.queue.enqueue({
    kind: 'DEPLOY',
    name: `DEPLOY_${request.model_id}_adapters_${request.adapter_ids.join('_')}`,
    payload,
    subject: keyOf(slot),
    exclusiveKeys: [keyOf(slot)],
  });
  return describeJob(item);
}

export async function getDeployment(deps: DeploymentDependencies, slot: Slot): Promise<Deployment> {
  const found = await findDeployment(deps.database, slot);
  if (!found) throw nothingDeployed(slot);
  const { model_id, adapter_ids, replicas } = found;
  const pods = (await listDeployedPods(deps.database, slot)).filter(({ state }) => state === 'serving');
  const away = pods.filter(({ spec }) => !serves(deps.desk, spec));
  const reasons = away.map(({ pod_id }) => deps.launcher.get(pod_id)?.error ?? null);
  const error = reasons.find((reason) => reason !== null) ?? null;
  return { model_id, adapter_ids, replicas, ready: pods.length - away.length, error };
}

/** The last job of the slot; none once its deployment was taken down again. */
export async function getDeployStatus(deps: DeploymentDependencies, slot: Slot): Promise<DeployStatus> {
  const last = await lastJob(deps, slot);
  if (!last) throw nothingDeployed(slot);
  if (last.state === 'FINISHED' && !(await findDeployment(deps.database, slot))) throw nothingDeployed(slot);
  const { model_id, adapter_ids } = (last.payload as DeployPayload).request;
  return { model_id, adapter_ids, job: describeJob(last) };
}

/** Takes the slot's deployment down, and whatever is being deployed to it. The job is shown as the one that is being stopped. */
export async function interruptDeployment(deps: DeploymentDependencies, slot: Slot): Promise<Job> {
  const { database, queue, directory, retirement } = deps;
  const waiting = await queue.active([keyOf(slot)]);
  const pods = await listDeployedPods(database, slot);
  const ids = pods.map(({ pod_id }) => pod_id);
  const stopped = waiting.length > 0 ? await lastJob(deps, slot) : await servingJob(deps, slot);
  if (!stopped || (waiting.length === 0 && pods.length === 0)) throw nothingDeployed(slot);
  await database.transaction(async (session) => {
    await deleteDeployment(session, slot);
    await setPodStates(session, ids, 'draining');
    for (const { id } of waiting) {
      await queue.cancel(id, session).catch(ignoreEnded);
    }
    session.afterCommit(() => directory.remove(slot));
  });
  // Their answers get the few seconds that each pod grants by itself: whoever interrupts wants it gone.
  void retirement.begin(slot, ids, 0);
  return { ...describeJob(stopped), status: 'RUNNING', finished_at: null, error: null };
}

/** Whether a model serves or is being brought up, as a base or as an adapter. */
export async function isDeployed(
  { directory, queue }: Pick<DeploymentDependencies, 'directory' | 'queue'>,
  modelId: string,
): Promise<boolean> {
  if (Slot.options.some((slot) => directory.names(slot).includes(modelId))) return true;
  return (await queue.active(Slot.options.map(keyOf))).some(({ payload }) => {
    const { model_id, adapter_ids } = (payload as DeployPayload).request;
    return model_id === modelId || adapter_ids.includes(modelId);
  });
}

/** Files and folders that pods are started with, now or when they end by themselves. */
export async function deployedFiles({
  database,
}: Pick<DeploymentDependencies, 'database'>): Promise<string[]> {
  const pods = await listDeployedPods(database);
  return pods.flatMap(({ spec }) => [spec.model, ...spec.adapters.map(({ path }) => path)]);
}

export async function lastJob({ queue }: DeploymentDependencies, slot: Slot): Promise<WorkItem | undefined> {
  return (await queue.list({ kinds: ['DEPLOY'], subject: keyOf(slot), limit: 1 }))[0];
}

/** The job that brought up what serves; the slot's last one where that is forgotten by now. */
async function servingJob(deps: DeploymentDependencies, slot: Slot): Promise<WorkItem | undefined> {
  const deployment = await findDeployment(deps.database, slot);
  const own = deployment && (await deps.queue.get(deployment.job_id).catch(() => undefined));
  return own ?? lastJob(deps, slot);
}

/** It came to its end between the look and the cancel. */
function ignoreEnded(error: unknown): void {
  if (!(error instanceof Conflict)) throw error;
}

const nothingDeployed = (slot: Slot) =>
  new NotFound('deployment', slot, { words: `nothing is deployed to the ${slot} slot` });

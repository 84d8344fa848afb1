import type { Actor } from '../../../contracts/actor.ts';
import type { Slot } from '../../../contracts/management/deployments.ts';
import type { Job } from '../../../contracts/management/jobs.ts';
import { Conflict } from '../../../contracts/problems.ts';
import { recordAction } from '../../../platform/audit/record-action.ts';
import type { WorkItem } from '../../../platform/queue/work-item.ts';
import { describeJob } from '../../jobs/describe-job.ts';
import {
  deleteDeployment,
  findDeployment,
  listDeployedPods,
  setPodStates,
} from '../records/deployments-store.ts';
import type { DeploymentDependencies } from './deployment-dependencies.ts';
import { lastJob, nothingDeployed, requestOf, slotKey } from './slot-jobs.ts';

/**
 * Undeploys the slot and cancels any deployment in progress. Returns the job that is being stopped, shown as running.
 */
export async function interruptDeployment(
  deps: DeploymentDependencies,
  actor: Actor,
  slot: Slot,
): Promise<Job> {
  const { database, clock, queue, directory, retirement } = deps;
  const waiting = await queue.active([slotKey(slot)]);
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
    await recordAction({ session, clock }, actor, {
      action: 'deployment.interrupt',
      subject: requestOf(stopped).model_id,
      details: { slot, job: stopped.id },
    });
    session.afterCommit(() => directory.remove(slot));
  });
  // No drain time beyond the few seconds that each pod allows on shutdown: the caller wants it gone.
  void retirement.begin(slot, pods, 0);
  return { ...describeJob(stopped), status: 'RUNNING', finished_at: null, error: null };
}

/** The job of the current deployment, or the slot's last job if that one has been pruned. */
async function servingJob(deps: DeploymentDependencies, slot: Slot): Promise<WorkItem | undefined> {
  const deployment = await findDeployment(deps.database, slot);
  const own = deployment && (await deps.queue.get(deployment.job_id).catch(() => undefined));
  return own ?? lastJob(deps, slot);
}

/** Ignores that the job ended between the query and the cancel. */
function ignoreEnded(error: unknown): void {
  if (!(error instanceof Conflict)) throw error;
}

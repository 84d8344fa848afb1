import type { SlotEntry } from '../../../contracts/management/deployments.ts';
import { NotFound } from '../../../contracts/problems.ts';
import { describeJob } from '../../jobs/describe-job.ts';
import type { DeploymentDependencies } from './deployment-dependencies.ts';
import { getDeployment } from './get-deployment.ts';
import { activeDeployments, lastJob, slotOf } from './slot-jobs.ts';

/** The fixed slots, and those that have a deployment or are getting one. */
export async function listSlots(deps: DeploymentDependencies): Promise<SlotEntry[]> {
  const active = (await activeDeployments(deps)).map(slotOf);
  const names = new Set([...deps.directory.slots(), ...active.sort()]);
  return Promise.all(
    Array.from(names, async (slot) => {
      const job = await lastJob(deps, slot);
      const deployment = await getDeployment(deps, slot).catch((error: unknown) => {
        if (error instanceof NotFound) return null;
        throw error;
      });
      return { slot, path: `/api/${slot}/v1`, deployment, job: job ? describeJob(job) : null };
    }),
  );
}

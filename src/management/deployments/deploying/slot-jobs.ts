import type { Slot } from '../../../contracts/management/deployments.ts';
import { NotFound } from '../../../contracts/problems.ts';
import type { WorkItem } from '../../../platform/queue/work-item.ts';
import type { DeploymentDependencies } from './deployment-dependencies.ts';
import type { DeployPayload } from './rollout/deploy-kind.ts';

/** Jobs that deploy to a slot hold this key, and are listed by it. */
export const slotKey = (slot: Slot) => `deploy:${slot}`;

/** The request of a DEPLOY job. */
export const requestOf = (item: WorkItem) => (item.payload as DeployPayload).request;

export const slotOf = (item: WorkItem) => (item.payload as DeployPayload).slot;

/** Deployments of any slot that wait or run. */
export const activeDeployments = ({ queue }: Pick<DeploymentDependencies, 'queue'>): Promise<WorkItem[]> =>
  queue.list({ kinds: ['DEPLOY'], states: ['CREATED', 'RUNNING'] });

export async function lastJob(
  { queue }: Pick<DeploymentDependencies, 'queue'>,
  slot: Slot,
): Promise<WorkItem | undefined> {
  return (await queue.list({ kinds: ['DEPLOY'], subject: slotKey(slot), limit: 1 }))[0];
}

export const nothingDeployed = (slot: Slot) =>
  new NotFound('deployment', slot, { words: `nothing is deployed to the ${slot} slot` });

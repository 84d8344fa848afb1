import type { Actor } from '../../../contracts/actor.ts';
import type { Slot } from '../../../contracts/management/deployments.ts';
import type { Job } from '../../../contracts/management/jobs.ts';
import { recordAction } from '../../../platform/audit/record-action.ts';
import { describeJob } from '../../jobs/describe-job.ts';
import { planDeployment } from '../planning/plan-deployment.ts';
import { findDeployment, listDeployedPods } from '../records/deployments-store.ts';
import type { DeploymentDependencies } from './deployment-dependencies.ts';
import { refuseDifferentTwin } from './rollout/check-other-slots.ts';
import { refuseShortage } from './rollout/check-room.ts';
import { changesAdaptersOnly, type DeployPayload } from './rollout/deploy-kind.ts';
import { slotKey } from './slot-jobs.ts';

/** Checks the request before anything changes; the deployment itself is a job. */
export async function startDeployment(
  deps: DeploymentDependencies,
  actor: Actor,
  asked: DeployPayload,
): Promise<Job> {
  const { database, clock, queue } = deps;
  const { slot } = asked;
  const plan = await planDeployment(deps, slot, asked.request);
  // The model may have been named by its short name.
  const request = { ...asked.request, model_id: plan.model.model_id };
  await refuseDifferentTwin(deps, plan);
  const current = await findDeployment(database, slot);
  if (!current || !changesAdaptersOnly(current, plan))
    await refuseShortage(deps, plan, request.replace ?? false);
  const machine = await ownerOf(deps, slot);
  const { model_id, ...rest } = request;
  return database.transaction(async (session) => {
    const item = await queue.enqueue(
      {
        kind: 'DEPLOY',
        name: `DEPLOY_${model_id}_adapters_${request.adapter_ids.join('_')}`,
        payload: { ...asked, request },
        subject: slotKey(slot),
        exclusiveKeys: [slotKey(slot)],
        machine,
      },
      session,
    );
    await recordAction({ session, clock }, actor, {
      action: 'deployment.start',
      subject: model_id,
      details: { slot, ...rest, job: item.id },
      outcome: 'accepted',
    });
    return describeJob(item);
  });
}

/** The machine that runs the slot's pods, whose platform can change them; null where none or several do. */
async function ownerOf({ database }: DeploymentDependencies, slot: Slot): Promise<string | null> {
  const pods = (await listDeployedPods(database, slot)).filter(({ state }) => state === 'serving');
  const owners = new Set(pods.map(({ machine }) => machine));
  return owners.size === 1 ? ([...owners][0] ?? null) : null;
}

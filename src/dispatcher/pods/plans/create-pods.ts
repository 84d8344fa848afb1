import { isDeepStrictEqual } from 'node:util';
import type { Actor } from '../../../contracts/actor.ts';
import type { PlannedPods } from '../../../contracts/dispatcher/pod-plan.ts';
import { recordAction } from '../../../platform/audit/record-action.ts';
import { describePlans, type PlanDependencies } from './describe-plans.ts';
import { listPlans, lockPlans, replacePlans, type StoredPlan } from './plans-store.ts';
import { type NamedPlan, readPodsFile } from './pods-file.ts';
import { stopPlanned } from './stop-unplanned.ts';

/**
 * Reads the file and applies its changes: new pods are created, and pods that it no longer lists are stopped. A pod
 * whose description has changed keeps running unchanged until it is deployed again.
 */
export async function createPods(deps: PlanDependencies, actor: Actor): Promise<PlannedPods> {
  const { database, clock, file } = deps;
  const wanted = await readPodsFile(file);
  const { after, stopped } = await database.transaction(async (session) => {
    await lockPlans(session);
    const before = new Map((await listPlans(session)).map((stored) => [stored.pod_id, stored]));
    const after = wanted.map((named) => planAfter(before.get(named.pod_id), named));
    const kept = new Set(after.map(({ pod_id }) => pod_id));
    const stopped = [...before.keys()].filter((podId) => !kept.has(podId));
    await replacePlans(session, after);
    const details = { created: [...kept].filter((podId) => !before.has(podId)), stopped };
    await recordAction({ session, clock }, actor, { action: 'pods.create', subject: file, details });
    return { after, stopped };
  });
  await Promise.all(stopped.map((podId) => stopPlanned(deps, podId)));
  return describePlans(deps, after);
}

/** A changed description must be deployed again, on the machine that runs the pod now. */
function planAfter(known: StoredPlan | undefined, { pod_id, plan }: NamedPlan): StoredPlan {
  if (known && isDeepStrictEqual(known.plan, plan)) return known;
  return { pod_id, plan, deployed: false, machine: known?.machine ?? null };
}

import { isDeepStrictEqual } from 'node:util';
import type { Actor } from '../../contracts/actor.ts';
import type { PlannedPods } from '../../contracts/dispatcher/pod-plan.ts';
import { recordAction } from '../../platform/audit/record-action.ts';
import { describePlans, type PlanDependencies } from './describe-plans.ts';
import { listPlans, replacePlans, type StoredPlan } from './plans-store.ts';
import { readPodsFile } from './pods-file.ts';

/**
 * Reads the file and applies its changes: new pods are created, and pods that it no longer lists are stopped. A pod
 * whose description has changed keeps running unchanged until it is deployed again.
 */
export async function createPods(deps: PlanDependencies, actor: Actor): Promise<PlannedPods> {
  const { database, clock, file } = deps;
  const wanted = await readPodsFile(file);
  const before = new Map((await listPlans(database)).map((stored) => [stored.pod_id, stored]));
  const after = wanted.map(({ pod_id, plan }): StoredPlan => {
    const known = before.get(pod_id);
    return known && isDeepStrictEqual(known.plan, plan) ? known : { pod_id, plan, deployed: false };
  });
  const kept = new Set(after.map(({ pod_id }) => pod_id));
  const stopped = [...before.keys()].filter((podId) => !kept.has(podId));
  await database.transaction(async (session) => {
    await replacePlans(session, after);
    const details = { created: [...kept].filter((podId) => !before.has(podId)), stopped };
    await recordAction({ session, clock }, actor, { action: 'pods.create', subject: file, details });
  });
  await Promise.all(stopped.map((podId) => remove(deps, podId)));
  return describePlans(deps, after);
}

async function remove({ launcher, registry }: PlanDependencies, podId: string): Promise<void> {
  await launcher.stop(podId);
  registry.forget(podId);
}

import type { PlanDependencies } from './describe-plans.ts';
import { listPlans } from './plans-store.ts';

export async function stopPlanned(
  { launcher, registry, started }: PlanDependencies,
  podId: string,
): Promise<void> {
  started.delete(podId);
  await launcher.stop(podId);
  registry.forget(podId);
}

/** Stops pods that run here and that a dispatcher on another machine has taken out of the list. */
export async function stopUnplanned(deps: PlanDependencies): Promise<void> {
  if (deps.database.exclusive || deps.started.size === 0) return;
  const own = (await listPlans(deps.database)).filter(({ machine }) => machine === deps.machine);
  const kept = new Set(own.map(({ pod_id }) => pod_id));
  await Promise.all([...deps.started].filter((podId) => !kept.has(podId)).map((id) => stopPlanned(deps, id)));
}

import type { PodPlan } from '../../contracts/dispatcher/pod-plan.ts';
import type { Session } from '../../platform/database/database.ts';
import { fromJson, toJson } from '../../platform/database/json-column.ts';

/** A created pod of the file, and whether it should run. */
export interface StoredPlan {
  pod_id: string;
  plan: PodPlan;
  deployed: boolean;
}

export async function listPlans({ query }: Session): Promise<StoredPlan[]> {
  const rows = await query.selectFrom('planned_pods').selectAll().orderBy('number').execute();
  return rows.map((row) => ({ pod_id: row.pod_id, plan: fromJson(row.plan), deployed: row.deployed === 1 }));
}

/** Replaces the whole list. The list is short, and its order determines the pods' numbers. */
export async function replacePlans({ query }: Session, plans: readonly StoredPlan[]): Promise<void> {
  await query.deleteFrom('planned_pods').execute();
  if (plans.length === 0) return;
  const rows = plans.map(({ pod_id, plan, deployed }, number) => ({
    pod_id,
    number,
    plan: toJson(plan),
    deployed: deployed ? 1 : 0,
  }));
  await query.insertInto('planned_pods').values(rows).execute();
}

import { sql } from 'kysely';
import type { PodPlan } from '../../../contracts/dispatcher/pod-plan.ts';
import type { Session } from '../../../platform/database/database.ts';
import { fromJson, toJson } from '../../../platform/database/json-column.ts';

/** A created pod of the file, and whether and where it should run. */
export interface StoredPlan {
  pod_id: string;
  plan: PodPlan;
  deployed: boolean;
  /** The machine whose platform runs it, once it is deployed. */
  machine: string | null;
}

/** Any number will do, as long as nothing else in the database locks it. */
const plansLock = 7_205_003;

/** Lets one transaction at a time change the list. SQLite has only one to begin with. */
export async function lockPlans({ dialect, query }: Session): Promise<void> {
  if (dialect === 'postgres') await sql`select pg_advisory_xact_lock(${plansLock})`.execute(query);
}

export async function listPlans({ query }: Session): Promise<StoredPlan[]> {
  const rows = await query.selectFrom('planned_pods').selectAll().orderBy('number').execute();
  return rows.map(({ pod_id, plan, deployed, machine }) => ({
    pod_id,
    plan: fromJson(plan),
    deployed: deployed === 1,
    machine,
  }));
}

/** Replaces the whole list. The list is short, and its order determines the pods' numbers. */
export async function replacePlans({ query }: Session, plans: readonly StoredPlan[]): Promise<void> {
  await query.deleteFrom('planned_pods').execute();
  if (plans.length === 0) return;
  const rows = plans.map(({ pod_id, plan, deployed, machine }, number) => ({
    pod_id,
    number,
    plan: toJson(plan),
    deployed: deployed ? 1 : 0,
    machine,
  }));
  await query.insertInto('planned_pods').values(rows).execute();
}

export async function markDeployed(
  { query }: Session,
  podIds: readonly string[],
  machine: string,
): Promise<void> {
  if (podIds.length === 0) return;
  await query
    .updateTable('planned_pods')
    .set({ deployed: 1, machine })
    .where('pod_id', 'in', podIds)
    .execute();
}

/** Deployed pods from before machines were recorded go to the first platform that starts. */
export async function claimPlans({ query }: Session, machine: string): Promise<void> {
  await query
    .updateTable('planned_pods')
    .set({ machine })
    .where('deployed', '=', 1)
    .where('machine', 'is', null)
    .execute();
}

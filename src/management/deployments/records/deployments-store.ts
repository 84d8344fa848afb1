import type { Selectable } from 'kysely';
import type { EngineOptions } from '../../../contracts/engine-options.ts';
import type { Slot } from '../../../contracts/management/deployments.ts';
import type { Session } from '../../../platform/database/database.ts';
import { fromJson, toJson } from '../../../platform/database/json-column.ts';
import type { DeploymentPodRow, DeploymentRow } from '../../tables.ts';
import type { PodSpec } from './pod-spec.ts';

/** What a slot serves. */
export interface StoredDeployment {
  slot: Slot;
  model_id: string;
  adapter_ids: string[];
  engine: string;
  dtype: string | null;
  replicas: number;
  options: EngineOptions;
  job_id: string;
  deployed_at: number;
  replaced_model_id: string | null;
}

export interface StoredPod {
  pod_id: string;
  slot: Slot;
  state: DeploymentPodRow['state'];
  job_id: string;
  /** The machine whose platform runs it. */
  machine: string | null;
  spec: PodSpec;
}

export async function listDeployments(session: Session): Promise<StoredDeployment[]> {
  return (await session.query.selectFrom('deployments').selectAll().execute()).map(toDeployment);
}

export async function findDeployment(session: Session, slot: Slot): Promise<StoredDeployment | undefined> {
  const row = await session.query
    .selectFrom('deployments')
    .selectAll()
    .where('slot', '=', slot)
    .executeTakeFirst();
  return row && toDeployment(row);
}

export async function putDeployment(session: Session, deployment: StoredDeployment): Promise<void> {
  await deleteDeployment(session, deployment.slot);
  const row = {
    ...deployment,
    adapter_ids: toJson(deployment.adapter_ids),
    options: toJson(deployment.options),
  };
  await session.query.insertInto('deployments').values(row).execute();
}

export async function deleteDeployment(session: Session, slot: Slot): Promise<void> {
  await session.query.deleteFrom('deployments').where('slot', '=', slot).execute();
}

/** The pods of one slot, or of all slots. */
export async function listDeployedPods(session: Session, slot?: Slot): Promise<StoredPod[]> {
  let query = session.query.selectFrom('deployment_pods').selectAll().orderBy('pod_id');
  if (slot) query = query.where('slot', '=', slot);
  return (await query.execute()).map((row) => ({
    ...row,
    spec: fromJson<PodSpec>(row.spec),
  }));
}

export async function putPod(session: Session, pod: StoredPod): Promise<void> {
  await deletePods(session, [pod.pod_id]);
  await session.query
    .insertInto('deployment_pods')
    .values({ ...pod, spec: toJson(pod.spec) })
    .execute();
}

export async function setPodStates(
  session: Session,
  podIds: readonly string[],
  state: StoredPod['state'],
): Promise<void> {
  if (podIds.length === 0) return;
  await session.query.updateTable('deployment_pods').set({ state }).where('pod_id', 'in', podIds).execute();
}

/** With a machine: only those that are still its own. */
export async function deletePods(
  session: Session,
  podIds: readonly string[],
  machine?: string,
): Promise<void> {
  if (podIds.length === 0) return;
  let query = session.query.deleteFrom('deployment_pods').where('pod_id', 'in', podIds);
  if (machine !== undefined) query = query.where('machine', '=', machine);
  await query.execute();
}

/** Pods from before machines were recorded go to the first platform that starts. */
export async function claimPods(session: Session, machine: string): Promise<void> {
  await session.query.updateTable('deployment_pods').set({ machine }).where('machine', 'is', null).execute();
}

function toDeployment(row: Selectable<DeploymentRow>): StoredDeployment {
  return {
    ...row,
    adapter_ids: fromJson<string[]>(row.adapter_ids),
    options: fromJson<EngineOptions>(row.options),
  };
}

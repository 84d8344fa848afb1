import { isDeepStrictEqual } from 'node:util';
import type { DeployRequest, Slot } from '../../../../contracts/management/deployments.ts';
import type { WorkContext, WorkKind } from '../../../../platform/queue/work-kind.ts';
import { type DeploymentPlan, hasSameBase, planDeployment } from '../../planning/plan-deployment.ts';
import { specsOf } from '../../planning/pod-specs.ts';
import { allAnswer } from '../../pods/all-answer.ts';
import { findDeployment, listDeployedPods, type StoredDeployment } from '../../records/deployments-store.ts';
import type { DeploymentDependencies } from '../deployment-dependencies.ts';
import { changeAdapters } from './change-adapters.ts';
import { refuseDifferentTwin } from './check-other-slots.ts';
import { refuseShortage } from './check-room.ts';
import { replacePods } from './replace-pods.ts';
import { stopFirst } from './stop-first.ts';

export interface DeployPayload {
  slot: Slot;
  request: DeployRequest;
}

/** Engines whose pods can load and unload adapters while they serve. */
const hotSwapEngines: readonly string[] = ['llamacpp', 'vllm'];

/** DEPLOY: deploys a model to a slot. Safe to restart after a crash, because its pods died with the platform. */
export function deployKind(deps: DeploymentDependencies): WorkKind<DeployPayload> {
  return {
    concurrency: 3,
    afterCrash: 'resume',
    keepLast: true,
    run: (context) => deploy(deps, context),
  };
}

async function deploy(deps: DeploymentDependencies, run: WorkContext<DeployPayload>): Promise<void> {
  const { slot, request } = run.payload;
  const plan = await planDeployment(deps, slot, request);
  await refuseDifferentTwin(deps, plan);
  const current = await findDeployment(deps.database, slot);
  if (current && hasSameBase(current, plan)) {
    if (await isServed(deps, current, plan)) return;
    if (changesAdaptersOnly(current, plan) && (await changeAdapters(deps, current, plan, run))) return;
  }
  await unlessAborted(run.signal, deps.retirement.settled(slot));
  if (current && request.replace) return stopFirst(deps, current, plan, run);
  await refuseShortage(deps, plan, false);
  await replacePods(deps, plan, run, current && `replaces '${current.model_id}'`);
}

export function changesAdaptersOnly(current: StoredDeployment, plan: DeploymentPlan): boolean {
  return hotSwapEngines.includes(plan.engine) && hasSameBase(current, plan);
}

/** Whether nothing would change. False if a pod is failed or stuck, or if the model's files are new. */
async function isServed(
  { database, launcher, dispatcherPods, models }: DeploymentDependencies,
  current: StoredDeployment,
  plan: DeploymentPlan,
): Promise<boolean> {
  if (!isDeepStrictEqual(current.adapter_ids, plan.adapter_ids)) return false;
  const pods = (await listDeployedPods(database, plan.slot)).filter(({ state }) => state === 'serving');
  const [wanted] = await specsOf(models, plan, current.job_id);
  const asWanted =
    pods.length === plan.replicas &&
    pods.every(
      ({ spec }) => spec.model === wanted?.model && isDeepStrictEqual(spec.adapters, wanted.adapters),
    );
  return asWanted && (await allAnswer({ launcher, dispatcherPods }, pods));
}

/** Waits for the work, but rejects as soon as the signal fires. */
async function unlessAborted(signal: AbortSignal, work: Promise<void>): Promise<void> {
  signal.throwIfAborted();
  const stop = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  stop.catch(() => {});
  await Promise.race([work, stop]);
}

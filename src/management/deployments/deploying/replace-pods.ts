import { OutOfSpace } from '../../../contracts/problems.ts';
import type { WorkContext } from '../../../platform/queue/work-kind.ts';
import { shortageOf } from '../planning/check-memory.ts';
import { type DeploymentPlan, specsOf } from '../planning/plan-deployment.ts';
import { awaitPods } from '../pods/await-pods.ts';
import {
  deletePods,
  listDeployedPods,
  putDeployment,
  putPod,
  setPodStates,
} from '../records/deployments-store.ts';
import type { PodSpec } from '../records/pod-spec.ts';
import type { DeploymentDependencies } from './deployment-dependencies.ts';

type Run = Pick<WorkContext, 'id' | 'signal' | 'report' | 'finish'>;

/** Starts the pods of a plan beside the serving ones, and switches to them once all are ready. */
export async function replacePods(deps: DeploymentDependencies, plan: DeploymentPlan, run: Run) {
  const { slot } = plan;
  await unlessAborted(run.signal, deps.retirement.settled(slot));
  await refuseShortage(deps, plan);
  const pods = await specsOf(deps.models, plan, run.id);
  const ids = pods.map((pod) => pod.pod_id);
  try {
    for (const spec of pods) {
      run.signal.throwIfAborted();
      const { machine } = deps;
      await putPod(deps.database, {
        pod_id: spec.pod_id,
        slot,
        state: 'starting',
        job_id: run.id,
        machine,
        spec,
      });
      await deps.launcher.start(spec);
    }
    await awaitPods(pods, { ...deps, ...run, limit: deps.settings.ready_timeout });
    const before = (await listDeployedPods(deps.database, slot)).filter(
      ({ pod_id }) => !ids.includes(pod_id),
    );
    const replaced = before.map(({ pod_id }) => pod_id);
    await takeOver(deps, plan, run, ids, replaced);
    void deps.retirement.begin(slot, before, deps.settings.drain_timeout);
  } catch (error) {
    await discardPods(deps, pods);
    throw error;
  }
}

/** Refuses a deployment that does not fit in the free memory; the message has the figures. */
export async function refuseShortage(
  { freeMemory }: Pick<DeploymentDependencies, 'freeMemory'>,
  { model, replicas, engine }: DeploymentPlan,
): Promise<void> {
  const shortage = shortageOf(model, replicas, engine, await freeMemory());
  if (shortage) throw new OutOfSpace(shortage, { code: 'insufficient_memory' });
}

/** Commits the rows and the end of the job together; requests then go to the new pods. */
async function takeOver(
  { clock, directory }: DeploymentDependencies,
  plan: DeploymentPlan,
  run: Run,
  pods: readonly string[],
  replaced: readonly string[],
): Promise<void> {
  const { slot, model, adapter_ids, engine, dtype, replicas } = plan;
  const [before] = directory.names(slot);
  const deployment = {
    slot,
    model_id: model.model_id,
    adapter_ids,
    engine,
    dtype,
    replicas,
    job_id: run.id,
    deployed_at: clock.now(),
    replaced_model_id: before === undefined || before === model.model_id ? null : before,
  };
  await run.finish(async (session) => {
    await putDeployment(session, deployment);
    await setPodStates(session, replaced, 'draining');
    await setPodStates(session, pods, 'serving');
    session.afterCommit(() => directory.put(deployment));
  });
}

async function discardPods(
  { database, launcher, dispatcherPods, machine }: DeploymentDependencies,
  pods: readonly PodSpec[],
): Promise<void> {
  await Promise.all(pods.map(({ pod_id }) => launcher.stop(pod_id)));
  for (const { pod_id } of pods) dispatcherPods.forget(pod_id);
  await deletePods(
    database,
    pods.map(({ pod_id }) => pod_id),
    machine,
  );
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

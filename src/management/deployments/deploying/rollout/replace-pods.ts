import type { WorkContext } from '../../../../platform/queue/work-kind.ts';
import { placePods } from '../../memory/place-pods.ts';
import type { DeploymentPlan } from '../../planning/plan-deployment.ts';
import { specsOf } from '../../planning/pod-specs.ts';
import { awaitPods } from '../../pods/await-pods.ts';
import {
  deletePods,
  listDeployedPods,
  putDeployment,
  putPod,
  setPodStates,
} from '../../records/deployments-store.ts';
import type { PodSpec } from '../../records/pod-spec.ts';
import type { DeploymentDependencies } from '../deployment-dependencies.ts';

export type DeployRun = Pick<WorkContext, 'id' | 'signal' | 'report' | 'finish'>;

/** Starts the pods of a plan beside the serving ones, and switches to them once all are ready. `note` is shown with the progress. */
export async function replacePods(
  deps: DeploymentDependencies,
  plan: DeploymentPlan,
  run: DeployRun,
  note?: string,
) {
  const { slot } = plan;
  const pods = await specsOf(deps.models, plan, run.id, placePods(plan, await deps.freeMemory()));
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
    await awaitPods(pods, { ...deps, ...run, note, limit: deps.settings.ready_timeout });
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

/** Commits the rows and the end of the job together; requests then go to the new pods. */
async function takeOver(
  { clock, directory }: DeploymentDependencies,
  plan: DeploymentPlan,
  run: DeployRun,
  pods: readonly string[],
  replaced: readonly string[],
): Promise<void> {
  const { slot, model, adapter_ids, engine, dtype, replicas, options } = plan;
  const [before] = directory.names(slot);
  const deployment = {
    slot,
    model_id: model.model_id,
    adapter_ids,
    engine,
    dtype,
    replicas,
    options,
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

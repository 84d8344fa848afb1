import type { Clock } from '../../../contracts/clock.ts';
import type { PlannedPod, PlannedPods } from '../../../contracts/dispatcher/pod-plan.ts';
import type { LaunchedPod, PodStarter } from '../../../contracts/launching.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { PodRegistry } from '../registry.ts';
import type { StoredPlan } from './plans-store.ts';

export interface PlanDependencies {
  database: Database;
  clock: Clock;
  launcher: PodStarter;
  registry: Pick<PodRegistry, 'forget' | 'get' | 'isLive'>;
  /** The machine that this platform's pods belong to. */
  machine: string;
  /** Pods of the list that were started here. */
  started: Set<string>;
  /** Path of `pods.yaml`. */
  file: string;
}

export function describePlans(
  { launcher, registry, machine }: PlanDependencies,
  plans: readonly StoredPlan[],
): PlannedPods {
  return {
    pods: plans.map(({ pod_id, plan, deployed, machine: owner }, id) => {
      const running = deployed ? launcher.get(pod_id) : undefined;
      const reported = owner === machine ? undefined : registry.get(pod_id);
      const status = reported && registry.isLive(reported) ? 'running' : statusOf(running);
      return {
        id,
        pod_id,
        engine: plan.engine,
        task: plan.task,
        model_name: plan.model_name,
        served_model_name: plan.served_model_name ?? plan.model_name,
        status: deployed ? status : 'created',
        ...(running?.error ? { error: running.error } : {}),
      };
    }),
  };
}

function statusOf(pod: LaunchedPod | undefined): PlannedPod['status'] {
  if (!pod || pod.state === 'backing-off') return 'starting';
  return pod.state === 'crash-looping' ? 'failed' : pod.state;
}

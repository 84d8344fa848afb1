import { setTimeout as sleep } from 'node:timers/promises';
import { platformActor } from '../../../contracts/actor.ts';
import { type FixedSlot, fixedSlots, type Slot } from '../../../contracts/management/deployments.ts';
import { UpstreamFailed } from '../../../contracts/problems.ts';
import { endedStates } from '../../../platform/queue/work-item.ts';
import { slotTasks } from '../planning/slot-tasks.ts';
import { awaitPods } from '../pods/await-pods.ts';
import { findDeployment, listDeployedPods } from '../records/deployments-store.ts';
import type { DeploymentDependencies } from './deployment-dependencies.ts';
import { lastJob } from './slot-jobs.ts';
import { startDeployment } from './start-deployment.ts';

interface StarterModel {
  id: string;
  task: string;
}

/** Deploys each starter model as the first deployment of its slot; afterwards it is an ordinary deployment. */
export function starterDeployments(deps: DeploymentDependencies) {
  return {
    /** False if the operator has ever used the slot for something else; a failed deployment is retried. */
    async wants({ id, task }: StarterModel): Promise<boolean> {
      const slot = slotFor(task);
      if (!slot) return false;
      const current = await findDeployment(deps.database, slot);
      if (current) return current.model_id === id;
      const last = await lastJob(deps, slot);
      return last?.state !== 'FINISHED' && last?.state !== 'KILLED';
    },

    /** Resolves once the model serves; throws the reason if it fails. */
    async serve({ id, task }: StarterModel, signal: AbortSignal): Promise<void> {
      const slot = slotFor(task) as FixedSlot;
      if (await findDeployment(deps.database, slot)) return awaitSlot(deps, slot, signal);
      const last = await lastJob(deps, slot);
      const isActive = last !== undefined && !endedStates.some((state) => state === last.state);
      const payload = { slot, request: starterRequest(id) };
      const job = isActive ? last : await startDeployment(deps, platformActor('starter'), payload);
      await awaitJob(deps, job.id, signal);
    },
  };
}

const starterRequest = (model_id: string) => ({ model_id, adapter_ids: [], replicas: 1 });

function slotFor(task: string): FixedSlot | undefined {
  return fixedSlots.find((slot) => slotTasks[slot] === task);
}

async function awaitSlot(deps: DeploymentDependencies, slot: Slot, signal: AbortSignal): Promise<void> {
  const pods = (await listDeployedPods(deps.database, slot)).filter(
    ({ state, machine }) => state === 'serving' && machine === deps.machine,
  );
  const specs = pods.map(({ spec }) => spec);
  await awaitPods(specs, { ...deps, signal, limit: deps.settings.ready_timeout, report: () => {} });
}

async function awaitJob({ queue }: DeploymentDependencies, id: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    const { state, error } = await queue.get(id);
    if (state === 'FINISHED') return;
    if (state === 'FAILED' || state === 'KILLED')
      throw new UpstreamFailed(error ?? 'the deployment was interrupted');
    await sleep(200, undefined, { signal });
  }
}

import type { Deployment, DeployRequest } from '../../contracts/management/deployments.ts';
import type { Job } from '../../contracts/management/jobs.ts';
import { StartupError } from '../../platform/startup-error.ts';
import { followJob } from '../jobs/follow-job.ts';
import { type ManagementApi, Refused } from '../server/management-api.ts';

interface Wanted {
  model: string;
  adapter?: string | undefined;
  /** Default: the chat slot. */
  slot?: string | undefined;
  minImprovement?: number | undefined;
}

/** What a slot serves; undefined if nothing. */
export const deploymentOf = (api: ManagementApi, slot = 'chat'): Promise<Deployment | undefined> =>
  api.call<Deployment>('GET', `/api/${slot}/v1/deploy/`).catch((error: unknown) => {
    if (error instanceof Refused && error.status === 404) return undefined;
    throw error;
  });

/** Deploys to a slot and waits. An adapter is added to those of its base that are already deployed. */
export async function deployModel(
  api: ManagementApi,
  { model, adapter, slot = 'chat', minImprovement }: Wanted,
): Promise<Deployment> {
  const current = await deploymentOf(api, slot);
  const beside = current?.model_id === model ? current.adapter_ids : [];
  const request: Partial<DeployRequest> = {
    model_id: model,
    adapter_ids: [...new Set([...beside, ...(adapter ? [adapter] : [])])],
    ...(minImprovement === undefined ? {} : { min_improvement: minImprovement }),
  };
  const ended = await followJob(api, await api.call<Job>('POST', `/api/${slot}/v1/deploy/`, request));
  if (ended.status === 'FINISHED') return api.call<Deployment>('GET', `/api/${slot}/v1/deploy/`);
  throw new StartupError(ended.error ?? `deploying '${adapter ?? model}' was stopped`);
}

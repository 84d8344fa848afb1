import { listDeployedPods } from '../records/deployments-store.ts';
import type { DeploymentDependencies } from './deployment-dependencies.ts';
import { activeDeployments, requestOf } from './slot-jobs.ts';

/** Whether a model is deployed or being deployed, as a base or as an adapter. */
export async function isDeployed(
  deps: Pick<DeploymentDependencies, 'directory' | 'queue'>,
  modelId: string,
): Promise<boolean> {
  if (deps.directory.slots().some((slot) => deps.directory.names(slot).includes(modelId))) return true;
  return (await activeDeployments(deps)).some((item) => {
    const { model_id, adapter_ids } = requestOf(item);
    return model_id === modelId || adapter_ids.includes(modelId);
  });
}

/** Files and folders that pods load, now or when they restart. */
export async function deployedPaths({
  database,
}: Pick<DeploymentDependencies, 'database'>): Promise<string[]> {
  const pods = await listDeployedPods(database);
  return pods.flatMap(({ spec }) => [spec.model, ...spec.adapters.map(({ path }) => path)]);
}

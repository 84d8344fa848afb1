import { optionNames } from '../../contracts/engine-options.ts';
import type { Deployment, DeployStatus } from '../../contracts/management/deployments.ts';

/** What a slot serves, in one line. */
export function describeSlot(slot: string, serving: Deployment | null): string {
  return serving ? `${slot} serves ${named(serving)}` : `${slot} serves nothing`;
}

export function describeJob({ name, status, error }: DeployStatus['job']): string {
  return `last job: ${name} ${status}${error ? `: ${error}` : ''}`;
}

/** The engine and the options of a deployment, in one line; empty if the platform does not say. */
export function describeOptions(deployment: Deployment): string {
  const { engine, dtype } = deployment;
  const options = optionNames.flatMap((name) => {
    const value = deployment[name];
    return value === null || value === undefined ? [] : [`${name} ${[value].flat().join(' ')}`];
  });
  return [engine, ...(dtype ? [`dtype ${dtype}`] : []), ...options].filter(Boolean).join(', ');
}

function named({ model_id, adapter_ids, replicas = 1, ready = replicas, error }: Deployment): string {
  const adapters = adapter_ids.length > 0 ? ` with ${adapter_ids.join(', ')}` : '';
  const pods = replicas > 1 ? ` in ${replicas} pods` : '';
  const away = ready < replicas ? `; ${ready} of ${replicas} pods ready${error ? `: ${error}` : ''}` : '';
  return `${model_id}${adapters}${pods}${away}`;
}

import type { PodInfo } from '../contracts/dispatcher/pods.ts';
import type { MachineUsage } from './machine-usage.ts';
import type { Pod } from './pod.ts';

export interface PodIdentity {
  pod_id: string;
  engine: string;
  version: string;
}

/** Everything a pod says of itself. */
export function podReport(
  pod: Pod,
  identity: PodIdentity,
  address: string,
  connections: number,
  usage: MachineUsage,
): Partial<PodInfo> {
  const { model_name, served_model_name, task } = pod.served;
  const common = {
    ...identity,
    task,
    model_name,
    served_model_name,
    pod_address: address,
    connections,
    ...usage,
    ...pod.statistics.snapshot(),
  };
  if (!pod.isLoaded) return { ...common, status: 'starting' };
  const { engine } = pod;
  const { running, waiting, parallel, kvCacheUsage, gpuMemoryBytes } = engine.status();
  return {
    ...common,
    status: 'running',
    requests_num_running: Math.max(common.requests_num_running, running + waiting),
    adapters: 'adapters' in engine ? engine.adapters() : [],
    max_connections: mostRequests(engine.kind, parallel),
    ...(kvCacheUsage === undefined ? {} : { kv_cache_usage: kvCacheUsage }),
    ...(gpuMemoryBytes && usage.gpu_memory_used_mb === null
      ? { gpu_memory_used_mb: gpuMemoryBytes / 1e6 }
      : {}),
    ...(engine.facts.contextLength === undefined ? {} : { max_model_len: engine.facts.contextLength }),
  };
}

/** Vectors are made in batches of whatever waits, so more requests at once are better; answers are not. */
function mostRequests(kind: Pod['engine']['kind'], parallel: number): number {
  return kind === 'embedding' || kind === 'rerank' ? Math.max(64, parallel) : parallel;
}

import type { PodInfo } from '../../contracts/dispatcher/pods.ts';
import type { Hardware } from '../../platform/processes/describe-hardware.ts';
import type { EngineCounters } from '../engine.ts';
import type { Pod } from '../serving/pod.ts';
import type { MachineUsage } from './machine-usage.ts';

export interface PodIdentity extends Partial<Hardware> {
  pod_id: string;
  engine: string;
  version: string;
  pod_secret?: string;
}

/** Builds the report that a pod sends to the dispatcher. */
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
  const { running, waiting, parallel, kvCacheUsage, gpuMemoryBytes, counted } = engine.status();
  return {
    ...common,
    ...(counted ? serverCounts(counted) : {}),
    status: statusOf(engine),
    requests_num_running: Math.max(common.requests_num_running, running + waiting),
    adapters: 'adapters' in engine ? engine.adapters() : [],
    max_connections: maxRequests(engine.kind, parallel),
    ...(kvCacheUsage === undefined ? {} : { kv_cache_usage: kvCacheUsage }),
    ...(gpuMemoryBytes && usage.gpu_memory_used_mb === null
      ? { gpu_memory_used_mb: gpuMemoryBytes / 1e6 }
      : {}),
    ...(engine.facts.contextLength === undefined ? {} : { max_model_len: engine.facts.contextLength }),
  };
}

function statusOf(engine: Pod['engine']): string {
  if (engine.kind !== 'upstream') return 'running';
  const { ready, text } = engine.state();
  return ready ? 'running' : text;
}

/** The server's own counters are more accurate: they include aborted requests and requests from other clients. */
function serverCounts(counted: EngineCounters): Partial<PodInfo> {
  const { requests, promptTokens, completionTokens, latency, timeToFirstToken, timePerOutputToken } = counted;
  const counts = {
    requests_success_total: requests,
    requests_prompt_tokens: promptTokens,
    requests_completion_tokens: completionTokens,
    requests_total_tokens:
      promptTokens === undefined || completionTokens === undefined
        ? undefined
        : promptTokens + completionTokens,
    requests_latency_ms: latency,
    time_to_first_token: timeToFirstToken,
    time_per_output_token: timePerOutputToken,
  };
  return Object.fromEntries(Object.entries(counts).filter(([, value]) => value !== undefined));
}

/** Embedding and rerank engines batch all waiting requests, so they profit from more concurrent requests. */
function maxRequests(kind: Pod['engine']['kind'], parallel: number): number {
  return kind === 'embedding' || kind === 'rerank' ? Math.max(64, parallel) : parallel;
}

import type { EngineStatus } from '../../engine.ts';
import { meanMilliseconds } from '../server/prometheus.ts';

export function vllmStatus(samples: Map<string, number>): Omit<EngineStatus, 'parallel'> {
  return {
    running: samples.get('vllm:num_requests_running') ?? 0,
    waiting: samples.get('vllm:num_requests_waiting') ?? 0,
    kvCacheUsage: samples.get('vllm:kv_cache_usage_perc') ?? samples.get('vllm:gpu_cache_usage_perc'),
    counted: {
      requests: samples.get('vllm:request_success_total'),
      promptTokens: samples.get('vllm:prompt_tokens_total'),
      completionTokens: samples.get('vllm:generation_tokens_total'),
      timeToFirstToken: meanMilliseconds(samples, 'vllm:time_to_first_token_seconds'),
      timePerOutputToken:
        meanMilliseconds(samples, 'vllm:request_time_per_output_token_seconds') ??
        meanMilliseconds(samples, 'vllm:time_per_output_token_seconds'),
      latency: meanMilliseconds(samples, 'vllm:e2e_request_latency_seconds'),
    },
  };
}

import { Counter, Gauge, Histogram } from 'prom-client';
import type { Metrics } from '../../platform/telemetry/metrics.ts';
import type { EngineStatus } from '../engine.ts';

export interface FinishedRequest {
  endpoint: string;
  outcome: 'success' | 'error' | 'abort';
  seconds: number;
  payloadBytes: number;
  promptTokens: number;
  completionTokens: number;
  /** Seconds until the first token of the answer, if there was one. */
  firstToken?: number;
}

export interface StatisticsSnapshot {
  requests_success_total: number;
  requests_num_running: number;
  requests_total_tokens: number;
  requests_prompt_tokens: number;
  requests_completion_tokens: number;
  /** Means over recent requests; times in milliseconds, the size in bytes. */
  requests_latency_ms: number;
  requests_payload_size: number;
  time_per_output_token: number;
  time_to_first_token: number | null;
}

const window = 100;

/** A pod's statistics, for its reports and for Prometheus (vLLM's metric names with our prefix). */
export class PodStatistics {
  #running = 0;
  #success = 0;
  #promptTokens = 0;
  #completionTokens = 0;
  readonly #latency = new RecentMean(window);
  readonly #payload = new RecentMean(window);
  readonly #firstToken = new RecentMean(window);
  readonly #perToken = new RecentMean(window);
  readonly #prometheus: ReturnType<typeof prometheusSet>;

  constructor(metrics: Metrics, engineStatus: () => EngineStatus | undefined) {
    this.#prometheus = prometheusSet(metrics, () => this.#running, engineStatus);
  }

  begin(): void {
    this.#running++;
  }

  end(request: FinishedRequest): void {
    this.#running--;
    const { seconds, promptTokens, completionTokens, firstToken } = request;
    this.#promptTokens += promptTokens;
    this.#completionTokens += completionTokens;
    this.#payload.add(request.payloadBytes);
    this.#prometheus.finished.inc({ endpoint: request.endpoint, outcome: request.outcome });
    this.#prometheus.prompt.inc(promptTokens);
    this.#prometheus.generated.inc(completionTokens);
    if (firstToken !== undefined) {
      this.#firstToken.add(firstToken * 1000);
      this.#prometheus.firstToken.observe(firstToken);
    }
    if (request.outcome !== 'success') return;
    this.#success++;
    this.#latency.add(seconds * 1000);
    this.#prometheus.latency.observe({ endpoint: request.endpoint }, seconds);
    if (firstToken !== undefined && completionTokens > 1) {
      const perToken = (seconds - firstToken) / (completionTokens - 1);
      this.#perToken.add(perToken * 1000);
      this.#prometheus.perToken.observe(perToken);
    }
  }

  snapshot(): StatisticsSnapshot {
    return {
      requests_success_total: this.#success,
      requests_num_running: this.#running,
      requests_total_tokens: this.#promptTokens + this.#completionTokens,
      requests_prompt_tokens: this.#promptTokens,
      requests_completion_tokens: this.#completionTokens,
      requests_latency_ms: this.#latency.value ?? 0,
      requests_payload_size: this.#payload.value ?? 0,
      time_per_output_token: this.#perToken.value ?? 0,
      time_to_first_token: this.#firstToken.value ?? null,
    };
  }
}

class RecentMean {
  readonly #values: number[] = [];
  readonly #size: number;
  #next = 0;
  #sum = 0;

  constructor(size: number) {
    this.#size = size;
  }

  add(value: number): void {
    this.#sum += value - (this.#values[this.#next] ?? 0);
    this.#values[this.#next] = value;
    this.#next = (this.#next + 1) % this.#size;
  }

  get value(): number | undefined {
    return this.#values.length === 0 ? undefined : this.#sum / this.#values.length;
  }
}

function prometheusSet(metrics: Metrics, running: () => number, status: () => EngineStatus | undefined) {
  const registers = [metrics.registry];
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name: `roundhouse_pod_${name}`,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  gauge('num_requests_running', 'Requests being processed.', () => status()?.running ?? running());
  gauge('num_requests_waiting', 'Requests waiting for the engine.', () => status()?.waiting ?? 0);
  gauge('kv_cache_usage_perc', 'Fraction of the KV cache in use, 0 to 1.', () => status()?.kvCacheUsage ?? 0);
  const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];
  return {
    finished: new Counter({
      name: 'roundhouse_pod_requests_total',
      help: 'Finished requests by endpoint and outcome.',
      labelNames: ['endpoint', 'outcome'],
      registers,
    }),
    prompt: new Counter({
      name: 'roundhouse_pod_prompt_tokens_total',
      help: 'Prompt tokens processed.',
      registers,
    }),
    generated: new Counter({
      name: 'roundhouse_pod_generation_tokens_total',
      help: 'Tokens generated.',
      registers,
    }),
    latency: new Histogram({
      name: 'roundhouse_pod_e2e_request_latency_seconds',
      help: 'Time from receiving a request to the end of the response.',
      labelNames: ['endpoint'],
      buckets: seconds,
      registers,
    }),
    firstToken: new Histogram({
      name: 'roundhouse_pod_time_to_first_token_seconds',
      help: 'Time from receiving a request to the first token of the response.',
      buckets: seconds,
      registers,
    }),
    perToken: new Histogram({
      name: 'roundhouse_pod_time_per_output_token_seconds',
      help: 'Time per output token after the first.',
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1],
      registers,
    }),
  };
}

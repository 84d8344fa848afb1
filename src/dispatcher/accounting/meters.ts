import { Gauge, type Metric } from 'prom-client';
import type { Metrics } from '../../platform/telemetry/metrics.ts';
import type { FinishedRequest } from '../calls/exchange/finished-request.ts';
import { Histogram, type Sample } from './histogram.ts';

/** Callers can send any model name. Beyond this many, names share one series, which bounds memory. */
const maxModels = 1000;

/** What one worker counted for a model, to be added to the counts of the others. */
export interface CountedModel {
  model: string;
  queue: number[];
  routing: number[];
  firstByte: number[];
  total: number[];
  outcomes: [string, number][];
  promptTokens: number;
  completionTokens: number;
}

class ModelMeters {
  readonly queue = new Histogram();
  readonly routing = new Histogram();
  readonly firstByte = new Histogram();
  readonly total = new Histogram();
  readonly outcomes = new Map<string, number>();
  promptTokens = 0;
  completionTokens = 0;
}

const histograms = {
  queue: ['roundhouse_dispatcher_queue_seconds', 'Time that requests waited for a pod with free capacity.'],
  routing: [
    'roundhouse_dispatcher_routing_seconds',
    'Time from receiving a request to sending it to a pod, excluding the time in the queue.',
  ],
  firstByte: [
    'roundhouse_dispatcher_first_byte_seconds',
    'Time from receiving a request to the first byte of the response.',
  ],
  total: ['roundhouse_dispatcher_total_seconds', 'Time from receiving a request to the end of the response.'],
} as const;

/** The metrics of each request that the dispatcher exposes at `/metrics`. */
export class Meters {
  readonly #models = new Map<string, ModelMeters>();

  observe(request: FinishedRequest): void {
    const { startedAt, routedAt, firstByteAt, queued, usage } = request;
    const meters = this.#of(request.pod === undefined ? '' : request.model);
    const outcome = String(request.failure === '' ? request.status : request.failure);
    meters.outcomes.set(outcome, (meters.outcomes.get(outcome) ?? 0) + 1);
    if (routedAt === 0) return;
    meters.queue.observe(queued / 1000);
    meters.routing.observe((routedAt - startedAt - queued) / 1000);
    if (firstByteAt !== 0) meters.firstByte.observe((firstByteAt - startedAt) / 1000);
    meters.total.observe((request.endedAt - startedAt) / 1000);
    if (!usage) return;
    meters.promptTokens += usage.promptTokens;
    meters.completionTokens += usage.completionTokens;
  }

  /** Returns everything counted since the last call. */
  take(): CountedModel[] {
    const taken = [...this.#models].map(([model, meters]) => ({
      model,
      queue: meters.queue.export(),
      routing: meters.routing.export(),
      firstByte: meters.firstByte.export(),
      total: meters.total.export(),
      outcomes: [...meters.outcomes],
      promptTokens: meters.promptTokens,
      completionTokens: meters.completionTokens,
    }));
    this.#models.clear();
    return taken;
  }

  add(counted: readonly CountedModel[]): void {
    for (const { model, outcomes, ...counts } of counted) {
      const meters = this.#of(model);
      for (const name of ['queue', 'routing', 'firstByte', 'total'] as const) meters[name].add(counts[name]);
      for (const [outcome, count] of outcomes) {
        meters.outcomes.set(outcome, (meters.outcomes.get(outcome) ?? 0) + count);
      }
      meters.promptTokens += counts.promptTokens;
      meters.completionTokens += counts.completionTokens;
    }
  }

  /** Registers the metrics. Their samples are built when `/metrics` is read. */
  register({ registry }: Metrics, waiting: () => number, livePods: () => number): void {
    for (const [key, [name, help]] of Object.entries(histograms)) {
      const get = () =>
        this.#samples((meters, labels) => meters[key as keyof typeof histograms].samples(name, labels));
      registry.registerMetric(collected(name, help, 'histogram', get));
    }
    const requests = 'roundhouse_dispatcher_requests_total';
    registry.registerMetric(
      collected(requests, 'Requests by status or failure.', 'counter', () =>
        this.#samples((meters, labels) =>
          [...meters.outcomes].map(([outcome, value]) => ({
            metricName: requests,
            labels: { ...labels, outcome },
            value,
          })),
        ),
      ),
    );
    const tokens = 'roundhouse_dispatcher_tokens_total';
    registry.registerMetric(
      collected(tokens, 'Tokens as reported by the pods, or estimated if they report none.', 'counter', () =>
        this.#samples((meters, labels) => [
          { metricName: tokens, labels: { ...labels, kind: 'prompt' }, value: meters.promptTokens },
          { metricName: tokens, labels: { ...labels, kind: 'completion' }, value: meters.completionTokens },
        ]),
      ),
    );
    gauge(
      registry,
      'roundhouse_dispatcher_waiting',
      'Requests waiting for a pod with free capacity.',
      waiting,
    );
    gauge(registry, 'roundhouse_dispatcher_live_pods', 'Pods that receive requests.', livePods);
  }

  #of(model: string): ModelMeters {
    const known = this.#models.get(model);
    if (known) return known;
    if (this.#models.size >= maxModels && model !== 'other') return this.#of('other');
    const meters = new ModelMeters();
    this.#models.set(model, meters);
    return meters;
  }

  #samples(of: (meters: ModelMeters, labels: { model: string }) => Sample[]): Sample[] {
    return [...this.#models].flatMap(([model, meters]) => of(meters, { model }));
  }
}

function gauge(registry: Metrics['registry'], name: string, help: string, value: () => number): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(value());
    },
  });
}

/** The metrics library calls only `get` and `reset`, although its types require more. */
function collected(name: string, help: string, type: string, values: () => Sample[]): Metric {
  const get = async () => ({ name, help, type, values: values(), aggregator: 'sum' });
  return { name, help, get, reset: () => undefined } as unknown as Metric;
}

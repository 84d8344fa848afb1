import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';

export interface Metrics {
  /** Pass it as `registers: [metrics.registry]` to each Counter, Gauge or Histogram. */
  registry: Registry;
  /** The exposition text of `/metrics`, and its content type. */
  contentType: string;
  text(): Promise<string>;
}

export interface MetricsOptions {
  version: string;
  /** Memory, CPU, event loop and garbage collection of this process. */
  processMetrics?: boolean;
}

/** One registry an app: two apps in one process (as in tests) do not count into each other. */
export function createMetrics({ version, processMetrics = true }: MetricsOptions): Metrics {
  const registry = new Registry();
  if (processMetrics) collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'roundhouse_build_info',
    help: 'Always 1; the label says which version runs.',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version }, 1);
  return { registry, contentType: registry.contentType, text: () => registry.metrics() };
}

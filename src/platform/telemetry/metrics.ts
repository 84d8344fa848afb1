import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';

export interface Metrics {
  /** Pass it as `registers: [metrics.registry]` to each Counter, Gauge or Histogram. */
  registry: Registry;
  /** Content type of `text()`, the response of `/metrics`. */
  contentType: string;
  text(): Promise<string>;
}

export interface MetricsOptions {
  version: string;
  /** Memory, CPU, event loop and garbage collection of this process. */
  processMetrics?: boolean;
}

/** Creates a registry per app, so that two apps in one process (as in tests) don't share counters. */
export function createMetrics({ version, processMetrics = true }: MetricsOptions): Metrics {
  const registry = new Registry();
  if (processMetrics) collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'roundhouse_build_info',
    help: 'Always 1; the label is the running version.',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version }, 1);
  return { registry, contentType: registry.contentType, text: () => registry.metrics() };
}

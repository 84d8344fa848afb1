import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Clock } from '../contracts/clock.ts';
import type { Config } from '../platform/config/resolve-config.ts';
import type { Database } from '../platform/database/database.ts';
import type { AccessRules } from '../platform/http/access.ts';
import type { Service } from '../platform/http/service.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import type { Metrics } from '../platform/telemetry/metrics.ts';
import type { Tracing } from '../platform/telemetry/tracing.ts';
import { startObserving } from './observing/start-observing.ts';
import { keepPods } from './pods/keep-pods.ts';
import type { PodLauncher } from './pods/pod-launcher.ts';
import { resumePods } from './pods/pod-plans.ts';
import { probePod } from './pods/probe-pod.ts';
import { PodRegistry } from './pods/registry.ts';
import { createProxy, proxySettings } from './proxy/create-proxy.ts';
import { createFront, type Front } from './proxy/front.ts';
import { KeyCounts } from './proxy/key-counts.ts';
import { KeyGate } from './proxy/key-gate.ts';
import { KeyLimits } from './proxy/key-limits.ts';
import type { Surface } from './proxy/surface.ts';
import { addDispatcherRoutes } from './routes.ts';
import { Occupancy } from './scheduling/occupancy.ts';

export interface DispatcherDependencies {
  config: Pick<Config, 'data_dir' | 'dispatcher' | 'http' | 'pods' | 'queue'>;
  database: Database;
  clock: Clock;
  logger: Logger;
  metrics: Metrics;
  tracing: Tracing;
  access: AccessRules;
  launcher: PodLauncher;
}

export interface Dispatcher {
  service: Service;
  /** Takes the proxied requests before the web framework sees them. */
  front: Front;
  registry: PodRegistry;
  /** Starts the pods again that were deployed before a restart; once the address is known that they report to. */
  resume(): Promise<void>;
}

/** The dispatcher: the proxy and the pods behind it. */
export async function createDispatcher(deps: DispatcherDependencies): Promise<Dispatcher> {
  const { config, database, clock, logger, metrics } = deps;
  const registry = new PodRegistry({ ttl: config.pods.ttl, clock });
  const limits = keyLimits(clock);
  const observing = await startObserving({
    database,
    clock,
    logger,
    monthUsed: (used) => limits.setMonth(used),
  });
  const proxy = createProxy({
    ...deps,
    settings: proxySettings(config, spoolFolder(config.data_dir)),
    registry,
    observe: observing.observe,
  });
  observing.meters.register(
    metrics,
    () => proxy.scheduler.waiting,
    () => Array.from(registry.all()).filter((pod) => registry.isLive(pod)).length,
  );
  const keeping = await keepPods({
    database,
    registry,
    clock,
    logger,
    probe: probePod,
    retention: config.pods.retention,
  });
  const plans = { database, launcher: deps.launcher, registry, file: resolve(config.pods.file) };
  const access = { scope: 'inference', openable: true } as const;
  const gate = new KeyGate(access, deps.access, limits, clock);
  const own: Surface = { prefix: '', shape: 'dispatcher', gate, modelFor: (asked) => asked };
  const front = createFront(proxy, [own]);

  const service: Service = {
    name: 'dispatcher',
    title: 'Roundhouse dispatcher',
    description: 'Sends chat, completion, embedding, rerank and speech requests to the pods that serve them.',
    version: '0.1.0',
    docs: '/docs',
    surfaces: [
      { prefix: '/v1', shape: 'dispatcher' },
      { prefix: '/pods-info', shape: 'dispatcher' },
      { prefix: '/create-pods', shape: 'dispatcher' },
      { prefix: '/deploy-pods', shape: 'dispatcher' },
    ],
    access,
    routes: (app) => addDispatcherRoutes(app, { registry, plans, front }),
    ready: () => ({ ready: true, detail: `${Array.from(registry.all()).length} pods known` }),
    async close() {
      proxy.upstreams.close();
      await keeping.close();
      await observing.close();
    },
  };
  return { service, front, registry, resume: () => resumePods(plans) };
}

function keyLimits(clock: Clock): KeyLimits {
  const rows = new Map<string, number>();
  const rowOf = (key: string) => {
    const row = rows.get(key) ?? rows.size;
    rows.set(key, row);
    return row;
  };
  return new KeyLimits(new KeyCounts(), new Occupancy(), rowOf, clock);
}

function spoolFolder(dataDir: string): string {
  const folder = join(dataDir, 'uploads');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

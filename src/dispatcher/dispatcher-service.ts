import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Clock } from '../contracts/clock.ts';
import type { ModelResponse } from '../contracts/openai/models.ts';
import type { Config } from '../platform/config/resolve-config.ts';
import type { Database } from '../platform/database/database.ts';
import type { AccessRules } from '../platform/http/access.ts';
import type { Service } from '../platform/http/service.ts';
import type { Metering } from '../platform/metering/open-metering.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import type { Metrics } from '../platform/telemetry/metrics.ts';
import type { Tracing } from '../platform/telemetry/tracing.ts';
import { startObserving } from './accounting/start-observing.ts';
import { createProxy, proxySettings } from './calls/create-proxy.ts';
import { createFront, type Front } from './calls/front.ts';
import { KeyGate } from './calls/key-gate.ts';
import { ownSurface, type SurfaceSettings } from './calls/surface.ts';
import { keepPods } from './pods/keep-pods.ts';
import { listModels } from './pods/list-models.ts';
import { podDesk } from './pods/pod-desk.ts';
import type { PodLauncher } from './pods/pod-launcher.ts';
import { resumePods } from './pods/pod-plans.ts';
import { probePod } from './pods/probe-pod.ts';
import { PodRegistry } from './pods/registry.ts';
import { addDispatcherRoutes } from './routes.ts';
import { Occupancy } from './routing/occupancy.ts';
import { PrefixIndex } from './routing/prefix-index.ts';
import { WorkerPool } from './workers/worker-pool.ts';

export interface DispatcherDependencies {
  config: Pick<Config, 'data_dir' | 'dispatcher' | 'http' | 'pods' | 'queue' | 'telemetry'>;
  database: Database;
  clock: Clock;
  logger: Logger;
  metrics: Metrics;
  tracing: Tracing;
  access: AccessRules;
  metering: Metering;
  launcher: PodLauncher;
  /** Other places at which the proxied endpoints are served too. */
  surfaces?: SurfaceSettings[];
}

export interface Dispatcher {
  service: Service;
  /** Takes the proxied requests before the web framework sees them. */
  front: Front;
  registry: PodRegistry;
  /** Threads that listen in place of this one, where there are to be several. */
  workers: WorkerPool | undefined;
  /** Changes what names mean at one of the places, and which can be asked for there. */
  setAliases(prefix: string, aliases: Record<string, string>, only?: readonly string[]): void;
  /** The pods as other services see them. */
  pods: ReturnType<typeof podDesk>;
  models(): ModelResponse;
  /** Starts the pods again that were deployed before a restart; once the address is known that they report to. */
  resume(): Promise<void>;
}

/** The dispatcher: the proxy and the pods behind it. */
export async function createDispatcher(deps: DispatcherDependencies): Promise<Dispatcher> {
  const { config, database, clock, logger, metrics, metering } = deps;
  const several = config.dispatcher.workers > 1;
  // The main thread serves too where a request reaches it by another way, so it has a column of its own.
  const columns = several ? config.dispatcher.workers + 1 : 1;
  const occupancy = new Occupancy(columns, columns - 1);
  const prefixes = PrefixIndex.withRoomFor(config.dispatcher.prefix_entries);
  const registry = new PodRegistry({ ttl: config.pods.ttl, clock, occupancy });
  const observing = startObserving({ logger, telemetry: config.telemetry, usage: metering.usage });
  const spoolDir = spoolFolder(config.data_dir);
  const settings = proxySettings(config, spoolDir);
  const proxy = createProxy({ ...deps, settings, registry, prefixes, observe: observing.observe });
  const livePods = () => Array.from(registry.all()).filter((pod) => registry.isLive(pod)).length;
  observing.meters.register(metrics, () => proxy.scheduler.waiting, livePods);
  const { retention } = config.pods;
  const keeping = await keepPods({ database, registry, clock, logger, probe: probePod, retention });
  const plans = { database, launcher: deps.launcher, registry, file: resolve(config.pods.file) };

  const surfaces = [ownSurface, ...(deps.surfaces ?? [])].map((surface) => ({
    ...surface,
    gate: new KeyGate(surface.access, deps.access, metering.limits, clock),
  }));
  const front = createFront(proxy, surfaces);
  const plainSurfaces = surfaces.map(({ gate: _gate, ...plain }) => plain);
  const pool = { config, spoolDir, registry, occupancy, access: deps.access, observing, logger };
  const workers = several
    ? new WorkerPool({
        ...pool,
        metering: metering.threads,
        surfaces: plainSurfaces,
        prefixes: prefixes.buffer,
      })
    : undefined;

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
    access: ownSurface.access,
    routes: (app) => addDispatcherRoutes(app, { registry, plans, front }),
    ready: () => ({ ready: true, detail: `${livePods()} live pods` }),
    async close() {
      await workers?.close();
      proxy.close();
      await keeping.close();
      observing.close();
    },
  };
  return {
    service,
    front,
    registry,
    workers,
    setAliases(prefix, aliases, only) {
      for (const surface of surfaces)
        if (surface.prefix === prefix) Object.assign(surface, { aliases, only });
      workers?.setAliases(prefix, aliases, only);
    },
    pods: podDesk(registry),
    models: () => listModels(registry),
    resume: () => resumePods(plans),
  };
}

function spoolFolder(dataDir: string): string {
  const folder = join(dataDir, 'uploads');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

import type { RequestListener, Server } from 'node:http';
import { resolve } from 'node:path';
import { monotonicClock } from '../contracts/clock.ts';
import type { DispatcherPods, PodStarter } from '../contracts/launching.ts';
import { countOf } from '../platform/count-of.ts';
import { databaseIdentity } from '../platform/database/identity-store.ts';
import type { Caller } from '../platform/http/access.ts';
import type { Service } from '../platform/http/service.ts';
import { resolveAliases } from '../platform/inference/aliases.ts';
import type { AnsweringModels } from '../platform/inference/answering-models.ts';
import type { InferenceFront } from '../platform/inference/inference-front.ts';
import type { InferenceTransport } from '../platform/inference/sending/transport.ts';
import type { Foundation, Part } from '../platform/parts/part.ts';
import { openSpoolFolder } from '../platform/uploads/spool-folder.ts';
import { startObserving } from './accounting/start-observing.ts';
import { KeyGate } from './calls/admission/key-gate.ts';
import { ownSurface } from './calls/admission/surface.ts';
import { createProxy, proxySettings } from './calls/create-proxy.ts';
import { createFront } from './calls/front.ts';
import { LocalTransport } from './calls/local/local-transport.ts';
import { frontedServer } from './fronted-server.ts';
import { dispatcherPods } from './pods/dispatcher-pods.ts';
import { listModels } from './pods/list-models.ts';
import { resumePods } from './pods/plans/deploy-pods.ts';
import { stopUnplanned } from './pods/plans/stop-unplanned.ts';
import { PodRegistry } from './pods/registry.ts';
import { keepPods } from './pods/reports/keep-pods.ts';
import { probePod } from './pods/reports/probe-pod.ts';
import { addDispatcherRoutes } from './routes.ts';
import { Occupancy } from './routing/occupancy.ts';
import { PrefixIndex } from './routing/prefix-index.ts';
import { ServedSurfaces } from './served-surfaces.ts';
import type { DispatcherSettings } from './settings.ts';
import { WorkerPool } from './workers/worker-pool.ts';

type DispatcherFoundation = Pick<
  Foundation<DispatcherSettings>,
  'config' | 'database' | 'clock' | 'logger' | 'metrics' | 'metering' | 'tracing' | 'access'
>;

export interface DispatcherPart extends Part {
  /** Creates the server that handles inference requests before the web framework sees them. */
  serverFactory(rest: RequestListener): Server;
  /** Handles inference requests from other parts of this process without a socket. */
  localTransport: InferenceTransport;
  /** The threads that listen instead of the main thread, if more than one is configured. */
  workers: WorkerPool | undefined;
  inference: InferenceFront;
  /** Adds models that answer without a pod. */
  offer(models: AnsweringModels): void;
  /** The pods as other parts see them. */
  pods: DispatcherPods;
}

/** Opens the dispatcher: the proxy and the pods behind it. */
export async function openDispatcher(
  foundation: DispatcherFoundation,
  { launcher }: { launcher: PodStarter },
): Promise<DispatcherPart> {
  const { config, database, clock, logger, metrics, metering, access } = foundation;
  const several = config.dispatcher.workers > 1;
  // The main thread also serves requests (from other parts of the process), so it has its own column.
  const columns = several ? config.dispatcher.workers + 1 : 1;
  const occupancy = new Occupancy(columns, columns - 1);
  const prefixes = PrefixIndex.withRoomFor(config.dispatcher.prefix_entries);
  const registry = new PodRegistry({ ttl: config.pods.ttl, clock, occupancy });
  const observing = startObserving({ logger, telemetry: config.telemetry, usage: metering.usage });
  const spoolDir = await openSpoolFolder(config.data_dir);
  const settings = proxySettings(config, spoolDir);
  const proxy = createProxy({ ...foundation, settings, registry, prefixes, observe: observing.observe });
  const livePods = () => Array.from(registry.all()).filter((pod) => registry.isLive(pod)).length;
  observing.meters.register(metrics, () => proxy.scheduler.waiting, livePods);
  const { retention } = config.pods;
  const plans = {
    database,
    clock,
    launcher,
    registry,
    machine: config.machine,
    started: new Set<string>(),
    file: resolve(config.pods.file),
  };
  const keeping = await keepPods({
    database,
    registry,
    clock,
    logger,
    probe: probePod,
    retention,
    ttl: config.pods.ttl,
    alsoEach: () => stopUnplanned(plans),
  });

  const databaseId = await databaseIdentity(database);
  const front = createFront(proxy);
  const aliases = resolveAliases(config.dispatcher.aliases);
  const models = () => listModels(registry, aliases);
  const bots = async (caller: Caller) => (await proxy.answering?.list(caller)) ?? [];
  const localTransport = new LocalTransport({ front, access, models });
  const surfaces = new ServedSurfaces({
    aliases,
    front,
    gateOf: (surface) => new KeyGate(surface, access, metering.limits, monotonicClock),
    changed: (surface) => workers?.setSurface(surface),
    removed: (prefix) => workers?.removeSurface(prefix),
  });
  const pool = { config, spoolDir, registry, occupancy, access, observing, logger };
  const workers = several
    ? new WorkerPool({
        ...pool,
        metering: metering.threads,
        surfaces: surfaces.all,
        prefixes: prefixes.buffer,
      })
    : undefined;
  surfaces.addSurface(ownSurface);

  const service: Service = {
    name: 'dispatcher',
    title: 'Roundhouse dispatcher',
    description:
      'Routes chat, completion, embedding, rerank and speech requests to the pods that serve them.',
    version: '0.1.0',
    docs: '/docs',
    surfaces: [
      ...['/v1', '/v2', '/rerank', '/tokenize', '/detokenize', '/tokenizer_info'].map((prefix) => ({
        prefix,
        shape: 'dispatcher' as const,
      })),
      { prefix: '/pods-info', shape: 'dispatcher' },
      { prefix: '/create-pods', shape: 'dispatcher' },
      { prefix: '/deploy-pods', shape: 'dispatcher' },
    ],
    access: ownSurface.access,
    routes: (app) =>
      addDispatcherRoutes(app, {
        registry,
        plans,
        front,
        models,
        bots,
        open: access.open,
        aliases,
        databaseId,
        transport: localTransport,
      }),
    ready: () => ({ ready: true, detail: countOf(livePods(), 'live pod') }),
    async close() {
      localTransport.close();
      await workers?.close();
      proxy.close();
      await keeping.close();
      observing.close();
    },
  };
  return {
    services: [service],
    serverFactory: (rest) => frontedServer(front, rest),
    localTransport,
    workers,
    pods: dispatcherPods(registry),
    offer(offered) {
      proxy.answering = offered;
    },
    inference: {
      addSurface: (surface) => surfaces.addSurface(surface),
      models: async () => models(),
      bots,
    },
    // Pods are started here because the address that they report to is known only now.
    start: () => resumePods(plans),
  };
}

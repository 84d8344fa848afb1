import type { Clock } from '../../contracts/clock.ts';
import type { PlatformConfig } from '../../platform/config/resolve-platform.ts';
import { refuseForeign } from '../../platform/http/foreign-requests.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { Tracing } from '../../platform/telemetry/tracing/tracing.ts';
import { LoopPauses } from '../pods/loop-pauses.ts';
import type { PodRegistry } from '../pods/registry.ts';
import type { RoutedPod } from '../pods/routed-pod.ts';
import type { PrefixIndex } from '../routing/prefix-index.ts';
import { Scheduler } from '../routing/scheduler.ts';
import type { DispatcherSettings } from '../settings.ts';
import { BodyMemory } from '../wire/body-memory.ts';
import { Attempts } from './answering/attempts.ts';
import { ConnectionPools } from './connections/connection-pools.ts';
import type { MainThread, ProxyContext, ProxySettings } from './exchange/context.ts';
import type { FinishedRequest } from './exchange/finished-request.ts';

type ProxyConfig = Pick<DispatcherSettings, 'dispatcher' | 'queue'> &
  Pick<PlatformConfig, 'host' | 'auth' | 'http'>;

/** Milliseconds between checks for silence: a fraction of the shortest time limit. */
function lookEvery({ first_byte_timeout, idle_timeout, caller_timeout }: ProxySettings): number {
  const shortest = Math.min(first_byte_timeout || 4000, idle_timeout || 4000, caller_timeout || 4000);
  return Math.min(1000, Math.max(20, shortest / 4));
}

interface ProxyDependencies {
  config: ProxyConfig;
  settings: ProxySettings;
  registry: PodRegistry;
  prefixes: PrefixIndex;
  clock: Clock;
  logger: Logger;
  tracing: Tracing;
  observe(request: FinishedRequest): void;
  mainThread?: MainThread;
}

export function proxySettings(
  { dispatcher, http, queue }: Pick<ProxyConfig, 'dispatcher' | 'http' | 'queue'>,
  spoolDir: string,
): ProxySettings {
  const { body_limit, bodies_limit } = http;
  // The main thread serves too, beside the workers.
  const threads = dispatcher.workers > 1 ? dispatcher.workers + 1 : 1;
  return {
    ...dispatcher,
    queue_timeout: queue.timeout,
    body_limit,
    bodies_limit: Math.max(body_limit, bodies_limit / threads),
    spool_dir: spoolDir,
  };
}

/** Puts the proxy together around a registry of pods, and keeps the two in step. */
export function createProxy(deps: ProxyDependencies): ProxyContext {
  const { config, settings, registry, clock, logger, tracing, observe } = deps;
  const { policy, weights } = config.dispatcher;
  const every = lookEvery(settings);
  const pauses = new LoopPauses(every, () => {
    registry.afterPause();
    logger.warn('the process did not run for a while; pods get time to report again');
  });
  const scheduler = new Scheduler<RoutedPod>(
    { policy, weights, prefixes: deps.prefixes, queueSize: config.queue.size },
    clock,
    pauses,
  );
  const pools = new ConnectionPools(settings);
  registry.listen({
    changed: (pod) => {
      if (scheduler.waiting > 0) for (const route of pod.routes) scheduler.settle(route);
    },
    forgotten: (pod) => pools.forget(pod),
  });
  const attempts = new Attempts();
  const bodies = new BodyMemory(settings.bodies_limit);
  const looking = setInterval(() => {
    const paused = pauses.check();
    registry.noteTime();
    // What pods sent during the pause has not been read yet.
    if (paused) return;
    const now = clock.now();
    for (const attempt of attempts) attempt.checkSilence(now);
  }, every).unref();
  const origins = new Set(config.http.cors_origins);
  return {
    directory: registry,
    scheduler,
    pools,
    attempts,
    bodies,
    pauses,
    settings,
    clock,
    logger,
    tracing,
    answering: undefined,
    mainThread: deps.mainThread,
    observe,
    refuseForeign: config.auth.open ? refuseForeign(config) : undefined,
    corsHeaders: (origin) => (origin !== undefined && origins.has(origin) ? corsHeaders(origin) : []),
    close() {
      clearInterval(looking);
      pools.close();
    },
  };
}

function corsHeaders(origin: string): string[] {
  const exposed = 'x-request-id, x-roundhouse-pod';
  return ['access-control-allow-origin', origin, 'vary', 'Origin', 'access-control-expose-headers', exposed];
}

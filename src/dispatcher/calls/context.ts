import type { Clock } from '../../contracts/clock.ts';
import type { RefuseForeign } from '../../platform/http/foreign-requests.ts';
import type { Claim, Entrance } from '../../platform/metering/key-limits.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { Tracing } from '../../platform/telemetry/tracing.ts';
import type { RoutedPod } from '../pods/routed-pod.ts';
import type { BreakerSettings } from '../routing/circuit-breaker.ts';
import type { Route } from '../routing/route.ts';
import type { Scheduler } from '../routing/scheduler.ts';
import type { Attempts } from './attempts.ts';
import type { ConnectionSettings } from './connections/connection-pool.ts';
import type { ConnectionPools } from './connections/connection-pools.ts';
import type { FinishedRequest } from './finished-request.ts';

/** Who calls, as far as the proxy cares: whose requests are counted and queued together. */
export interface ProxyCaller {
  /** The key's id, or a word for callers without one. */
  readonly id: string;
}

/** Decides who may call, and how much. */
export interface Gate<C extends ProxyCaller = ProxyCaller> {
  /** The caller, by the Authorization header; throws a refusal. A worker may have to ask first. */
  identify(authorization: string | undefined): C | Promise<C>;
  /** Reserves what a request may use, or refuses. It waits only for keys whose limits several processes share. */
  enter(caller: C, claim: Claim): Entrance | Promise<Entrance>;
}

/** Which pods can be asked for a model. */
export interface Directory {
  /** Undefined where no pod ever had it; `wrong task` where those that have it do something else. */
  find(model: string, task: string): Route<RoutedPod> | 'wrong task' | undefined;
}

export interface ProxySettings extends ConnectionSettings {
  /** How long a request may take in all, where the caller does not say; 0 is for ever. */
  request_timeout: number;
  queue_timeout: number;
  /** How many pods are tried before giving up. */
  attempts: number;
  body_limit: number;
  form_limit: number;
  /** How much of a form is held in memory while its model is looked for; more goes to a file. */
  form_buffer: number;
  /** Where such files are kept for the time being. */
  spool_dir: string;
  breaker: BreakerSettings;
}

export interface ProxyContext {
  directory: Directory;
  scheduler: Scheduler<RoutedPod>;
  pools: ConnectionPools;
  attempts: Attempts;
  settings: ProxySettings;
  clock: Clock;
  logger: Logger;
  tracing: Tracing;
  /** Told of each request when it is over; never throws. */
  observe(request: FinishedRequest): void;
  /** Refuses what foreign web pages make a browser send. */
  refuseForeign: RefuseForeign;
  /** Headers that browsers of other origins need on the answer; empty for most. */
  corsHeaders(origin: string | undefined): readonly string[];
  close(): void;
}

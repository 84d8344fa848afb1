import type { Clock } from '../../../contracts/clock.ts';
import type { ErrorShape } from '../../../contracts/surfaces.ts';
import type { RefuseForeign } from '../../../platform/http/foreign-requests.ts';
import type { AnsweringModels } from '../../../platform/inference/answering-models.ts';
import type { Logger } from '../../../platform/telemetry/logger.ts';
import type { Tracing } from '../../../platform/telemetry/tracing/tracing.ts';
import type { LoopPauses } from '../../pods/loop-pauses.ts';
import type { RoutedPod } from '../../pods/routed-pod.ts';
import type { BreakerSettings } from '../../routing/circuit-breaker.ts';
import type { Route } from '../../routing/route.ts';
import type { Scheduler } from '../../routing/scheduler.ts';
import type { BodyMemory } from '../../wire/body-memory.ts';
import type { Call } from '../../wire/call.ts';
import type { Attempts } from '../answering/attempts.ts';
import type { ConnectionSettings } from '../connections/connection-pool.ts';
import type { ConnectionPools } from '../connections/connection-pools.ts';
import type { FinishedRequest } from './finished-request.ts';

/** Takes over requests that a worker can't answer. It limits and counts them itself. */
export interface MainThread {
  take(call: Call, request: { path: string; body: Buffer; requestId: string; shape: ErrorShape }): void;
}

/** Finds the pods that serve a model. */
export interface Directory {
  /** Undefined if no pod has the model; `wrong task` if it can't be used for this task. */
  find(model: string, task: string): Route<RoutedPod> | 'wrong task' | undefined;
  /** The only model that is served for a task; undefined if there are several, or none. */
  soleModel(task: string): string | undefined;
}

export interface ProxySettings extends ConnectionSettings {
  /** Time limit of a request if the caller sets none; 0: no limit. */
  request_timeout: number;
  queue_timeout: number;
  /** How long a caller may stop reading its answer; 0: no limit. */
  caller_timeout: number;
  /** Number of pods that are tried before a request fails. */
  attempts: number;
  body_limit: number;
  /** Memory that the bodies of all requests of this thread may take. */
  bodies_limit: number;
  form_limit: number;
  /** Bytes of a form that are held in memory while its model is looked up; the rest goes to a file. */
  form_buffer: number;
  /** The folder of these files. */
  spool_dir: string;
  breaker: BreakerSettings;
}

export interface ProxyContext {
  directory: Directory;
  scheduler: Scheduler<RoutedPod>;
  pools: ConnectionPools;
  attempts: Attempts;
  bodies: BodyMemory;
  pauses: LoopPauses;
  settings: ProxySettings;
  clock: Clock;
  logger: Logger;
  tracing: Tracing;
  /** The models that answer without a pod; undefined where no part offers any. Set once the parts are open. */
  answering: AnsweringModels | undefined;
  /** Where a worker's requests for such models go; undefined in the main thread, which answers them. */
  mainThread: MainThread | undefined;
  /** Told of each request when it is over; never throws. */
  observe(request: FinishedRequest): void;
  /** Refuses what foreign web pages make a browser send; undefined where every caller needs a key. */
  refuseForeign: RefuseForeign | undefined;
  /** Headers that browsers of other origins need on the answer; empty for most. */
  corsHeaders(origin: string | undefined): readonly string[];
  close(): void;
}

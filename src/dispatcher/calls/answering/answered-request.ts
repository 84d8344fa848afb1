import type { Clock } from '../../../contracts/clock.ts';
import type { TokenCounts } from '../../../contracts/openai/read-usage.ts';
import type { Problem } from '../../../contracts/problems.ts';
import type { Span } from '../../../platform/telemetry/tracing/tracing.ts';
import type { RoutedPod } from '../../pods/routed-pod.ts';
import type { BreakerSettings } from '../../routing/circuit-breaker.ts';
import type { Call } from '../../wire/call.ts';
import type { ConnectionPools } from '../connections/connection-pools.ts';
import type { Endpoint } from '../reading/endpoints.ts';
import type { Payload } from '../reading/payload.ts';
import type { Attempts } from './attempts.ts';

/** A request, as whatever answers it sees it. */
export interface AnsweredRequest {
  readonly context: {
    settings: { caller_timeout: number };
    corsHeaders(origin: string | undefined): readonly string[];
  };
  readonly call: Call;
  readonly requestId: string;
  readonly model: string;
  /** Whether the caller was sent something of the answer. */
  readonly hasBegun: boolean;
  answerBegan(status: number): void;
  answered(usage: TokenCounts | undefined): void;
  brokeOff(failure: string): void;
  abandon(failure?: string): void;
  crash(error: unknown): void;
}

/** A request that is sent to a pod. */
export interface RoutedRequest extends AnsweredRequest {
  readonly context: AnsweredRequest['context'] & {
    attempts: Attempts;
    pools: ConnectionPools;
    scheduler: { release(pod: RoutedPod): void };
    clock: Clock;
    settings: { first_byte_timeout: number; idle_timeout: number; breaker: BreakerSettings };
  };
  readonly endpoint: Endpoint;
  readonly payload: Payload | undefined;
  readonly span: Span | undefined;
  refuse(problem: Problem, failure?: string): void;
}

/** Where a request goes after a pod has failed it. */
export interface Relocation {
  /** The pod that was sent the request twice, because the first connection seemed to be stale. */
  readonly repeatedOn: RoutedPod | undefined;
  /** Whether an attempt that failed before its first byte may be made elsewhere. */
  canMove(from: RoutedPod): boolean;
  move(from: RoutedPod, problem: Problem, failure: string): void;
  moveAfterLoss(from: RoutedPod, problem: Problem, failure: string): void;
  repeat(pod: RoutedPod): void;
}

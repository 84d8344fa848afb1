import type { TokenCounts } from '../../../contracts/openai/read-usage.ts';
import type { Problem } from '../../../contracts/problems.ts';
import { traceHeaders } from '../../../platform/telemetry/tracing/trace-context.ts';
import type { HeaderPairs } from '../../../platform/wire/head.ts';
import type { Piece } from '../../../platform/wire/piece.ts';
import type { RoutedPod } from '../../pods/routed-pod.ts';
import { type Breaker, recordFailure, recordNothing, recordSuccess } from '../../routing/circuit-breaker.ts';
import type { CallFailure, PodConnection } from '../../wire/pod-connection.ts';
import type { ConnectionPool } from '../connections/connection-pool.ts';
import type { Relocation, RoutedRequest } from './answered-request.ts';
import { GuardedAttempt } from './guarded-attempt.ts';
import { forwardedLines } from './headers.ts';
import { isSilence, isStale, isUnable, podGone, problemOf } from './pod-failures.ts';
import { RelayedAnswer } from './relayed-answer.ts';

/** One attempt to get one request answered by one pod. */
export class Attempt {
  readonly #request: RoutedRequest;
  readonly #relocation: Relocation;
  readonly #pod: RoutedPod;
  /** The breaker as it was at the start: a pod that restarts gets a new one. */
  readonly #breaker: Breaker;
  readonly #generation: number;
  readonly #answer: RelayedAnswer;
  #pool: ConnectionPool | undefined;
  #connection: PodConnection | undefined;
  #reused = false;
  #over = false;
  /** When the caller stopped reading, by `performance.now()`; 0 while it reads. */
  #stalledAt = 0;
  /** Its index in `context.attempts`. */
  #place = 0;

  constructor(request: RoutedRequest, relocation: Relocation, pod: RoutedPod) {
    this.#request = request;
    this.#relocation = relocation;
    this.#pod = pod;
    this.#breaker = pod.breaker;
    this.#generation = pod.breaker.generation;
    this.#answer = new RelayedAnswer(request, pod.headerId);
  }

  begin(onNewConnection: boolean): void {
    const { context, payload, endpoint, call, requestId, span, model } = this.#request;
    const guarded = new GuardedAttempt(this, this.#request);
    this.#place = context.attempts.add(guarded);
    try {
      const pool = context.pools.of(this.#pod);
      const body = payload?.bodyFor(this.#pod.nameFor(model)) ?? Buffer.alloc(0);
      const length = Buffer.isBuffer(body) ? body.length : payload?.length;
      const head =
        pool.beginningOf(endpoint.path) +
        this.#pod.authorization +
        forwardedLines(call.headers, requestId, span && traceHeaders(span.context)) +
        (length === undefined ? 'transfer-encoding: chunked\r\n\r\n' : `content-length: ${length}\r\n\r\n`);
      const idle = onNewConnection ? undefined : pool.takeIdle();
      const connection = idle ?? pool.open();
      this.#pool = pool;
      this.#connection = connection;
      this.#reused = idle !== undefined;
      connection.send({ head, body, chunked: length === undefined }, guarded);
    } catch (error) {
      this.#end();
      this.#request.crash(error);
    }
  }

  /** The answer is no longer wanted. */
  cancel(): void {
    if (this.#over) return;
    recordNothing(this.#breaker, this.#generation);
    this.#end();
    this.#connection?.destroy();
  }

  /** A slow caller has caught up. */
  resume(): void {
    this.#stalledAt = 0;
    if (!this.#over) this.#connection?.resume();
  }

  usageSoFar(): TokenCounts | undefined {
    return this.#over ? undefined : this.#answer.usageSoFar();
  }

  breakOff(problem: Problem): void {
    this.#answer.breakOff(problem);
  }

  /** Checks whether the pod has been silent for too long: on this request, or with its reports. */
  checkSilence(now: number) {
    const { expiresAt } = this.#pod;
    const { first_byte_timeout, idle_timeout, caller_timeout } = this.#request.context.settings;
    const moment = performance.now();
    if (this.#stalledAt !== 0 && caller_timeout > 0 && moment - this.#stalledAt >= caller_timeout) {
      return this.#cutCaller();
    }
    this.#connection?.checkSilence(moment, first_byte_timeout, idle_timeout);
    // A pod that announced its end may still finish its requests.
    if (this.#over || expiresAt === 0 || now < expiresAt || this.#request.hasBegun) return;
    // Without another pod there is nothing to gain from giving up.
    if (!this.#relocation.canMove(this.#pod)) return;
    this.cancel();
    this.#request.refuse(podGone(), 'pod_silent');
  }

  onHead(status: number, headers: HeaderPairs): void {
    this.#answer.hold(status, headers);
    if (!isUnable(status)) return;
    const movable = this.#relocation.canMove(this.#pod);
    this.#blame();
    if (!movable) return;
    this.#end();
    this.#connection?.destroy();
    this.#relocation.move(this.#pod, podGone(), `pod_${status}`);
  }

  onBody(piece: Piece): void {
    if (!this.#over) this.#answer.write(piece);
  }

  onPause(): boolean {
    if (this.#over || !this.#request.hasBegun || this.#request.call.flush()) return true;
    this.#stalledAt = performance.now();
    return false;
  }

  onEnd(): void {
    if (this.#over) return;
    const usage = this.#answer.end();
    if (!isUnable(this.#answer.status)) recordSuccess(this.#breaker);
    if (this.#connection) this.#pool?.give(this.#connection);
    this.#end();
    this.#request.answered(usage);
  }

  onFailure(why: CallFailure) {
    if (this.#over) return;
    const request = this.#request;
    if (this.#relocation.repeatedOn === undefined && this.#wasStale(why)) {
      this.#over = true;
      request.context.attempts.remove(this.#place);
      return this.#relocation.repeat(this.#pod);
    }
    if (why === 'body_failed') return this.#giveUp();
    this.#blame();
    const problem = problemOf(why);
    this.#end();
    if (!request.hasBegun) return this.#moveOn(problem, why);
    this.breakOff(problem);
    request.brokeOff(why);
  }

  /** A caller that does not read must not keep a place on the pod. */
  #cutCaller(): void {
    this.#request.abandon('caller_stalled');
    this.#request.call.cut();
  }

  /** The request itself may be what stops the pods, so it must not reach all of them in turn. */
  #moveOn(problem: Problem, why: CallFailure) {
    if (isSilence(why)) return this.#request.refuse(problem, why);
    // After a repetition, a refused connection may mean that the first one killed the pod.
    const reached = this.#connection?.connected || this.#relocation.repeatedOn === this.#pod;
    if (reached) return this.#relocation.moveAfterLoss(this.#pod, problem, why);
    this.#relocation.move(this.#pod, problem, why);
  }

  #wasStale(why: CallFailure): boolean {
    if (!this.#reused || this.#connection?.heard || !this.#request.payload?.canSend()) return false;
    return isStale(why);
  }

  /** The request could not be read from the caller, which is not the pod's fault. */
  #giveUp(): void {
    this.cancel();
    if (this.#request.call.over) this.#request.abandon();
    else this.#request.crash(new Error('the request could not be read to its end'));
  }

  #blame(): void {
    const { clock, settings } = this.#request.context;
    recordFailure(this.#breaker, this.#generation, clock.now(), settings.breaker);
  }

  #end(): void {
    this.#over = true;
    this.#request.context.attempts.remove(this.#place);
    this.#request.context.scheduler.release(this.#pod);
  }
}

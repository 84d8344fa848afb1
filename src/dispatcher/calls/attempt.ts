import type { TokenCounts } from '../../contracts/openai/read-usage.ts';
import { DeadlineExceeded, type Problem, Unavailable, UpstreamFailed } from '../../contracts/problems.ts';
import { openaiBody } from '../../platform/http/errors/problem-shapes.ts';
import { AnswerTail, bytesPerToken, eventsIn } from '../../platform/inference/streams/answer-tail.ts';
import { traceHeaders } from '../../platform/telemetry/trace-context.ts';
import { type HeaderPairs, headerOf } from '../../platform/wire/head.ts';
import type { Piece } from '../../platform/wire/piece.ts';
import type { RoutedPod } from '../pods/routed-pod.ts';
import { type Breaker, recordFailure, recordNothing, recordSuccess } from '../routing/circuit-breaker.ts';
import type { CallFailure, PodConnection } from '../wire/pod-connection.ts';
import type { ConnectionPool } from './connections/connection-pool.ts';
import type { Exchange } from './exchange.ts';
import { GuardedAttempt } from './guarded.ts';
import { answeredHeaders, forwardedLines } from './headers.ts';
import type { Placement } from './placement.ts';

const retryAfter = 5;
const noHeaders: HeaderPairs = [];

/** One attempt to get one request answered by one pod. */
export class Attempt {
  readonly #exchange: Exchange;
  readonly #placement: Placement;
  readonly #pod: RoutedPod;
  /** The breaker as it was at the start: a pod that restarts gets a new one. */
  readonly #breaker: Breaker;
  readonly #generation: number;
  readonly #tail = new AnswerTail();
  #pool: ConnectionPool | undefined;
  #connection: PodConnection | undefined;
  #reused = false;
  #status = 0;
  #headers = noHeaders;
  #isEvents = false;
  /** Whether the length of the answer was announced, so that nothing can be added to it. */
  #hasLength = false;
  /** Events of the stream that were passed on. */
  #events = 0;
  /** Bytes of the body that were passed on. */
  #bytes = 0;
  #over = false;
  /** When the caller stopped reading, by `performance.now()`; 0 while it reads. */
  #stalledAt = 0;
  /** Its index in `context.attempts`. */
  #place = 0;

  constructor(exchange: Exchange, placement: Placement, pod: RoutedPod) {
    this.#exchange = exchange;
    this.#placement = placement;
    this.#pod = pod;
    this.#breaker = pod.breaker;
    this.#generation = pod.breaker.generation;
  }

  begin(onNewConnection: boolean): void {
    const { context, payload, endpoint, call, requestId, span, model } = this.#exchange;
    const guarded = new GuardedAttempt(this, this.#exchange);
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
      this.#exchange.crash(error);
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

  /** Checks whether the pod has been silent for too long: on this request, or with its reports. */
  checkSilence(now: number) {
    const { expiresAt } = this.#pod;
    const { first_byte_timeout, idle_timeout, caller_timeout } = this.#exchange.context.settings;
    const moment = performance.now();
    if (this.#stalledAt !== 0 && caller_timeout > 0 && moment - this.#stalledAt >= caller_timeout) {
      return this.#cutCaller();
    }
    this.#connection?.checkSilence(moment, first_byte_timeout, idle_timeout);
    // A pod that announced its end may still finish its requests.
    if (this.#over || expiresAt === 0 || now < expiresAt || this.#exchange.hasBegun) return;
    // Without another pod there is nothing to gain from giving up.
    if (!this.#placement.canMove(this.#pod)) return;
    this.cancel();
    this.#exchange.refuse(unavailable(), 'pod_silent');
  }

  onHead(status: number, headers: HeaderPairs): void {
    this.#status = status;
    this.#headers = headers;
    if (!isUnable(status)) return;
    const movable = this.#placement.canMove(this.#pod);
    this.#blame();
    if (!movable) return;
    this.#end();
    this.#connection?.destroy();
    this.#placement.move(this.#pod, unavailable(), `pod_${status}`);
  }

  onBody(piece: Piece): void {
    if (this.#over) return;
    if (!this.#exchange.hasBegun) this.#beginAnswer();
    this.#tail.add(piece);
    this.#bytes += piece.length;
    if (this.#isEvents) this.#events += eventsIn(piece);
    this.#exchange.call.write(piece);
  }

  onPause(): boolean {
    if (this.#over || !this.#exchange.hasBegun || this.#exchange.call.flush()) return true;
    this.#stalledAt = performance.now();
    return false;
  }

  onEnd(): void {
    if (this.#over) return;
    const exchange = this.#exchange;
    if (!exchange.hasBegun) this.#beginAnswer();
    exchange.call.end();
    if (!isUnable(this.#status)) recordSuccess(this.#breaker);
    // The last event only marks the end of the stream.
    const usage = this.#tail.usage() ?? this.#estimate(this.#events - 1);
    if (this.#connection) this.#pool?.give(this.#connection);
    this.#end();
    exchange.answered(usage);
  }

  onFailure(why: CallFailure) {
    if (this.#over) return;
    const exchange = this.#exchange;
    if (this.#placement.repeatedOn === undefined && this.#wasStale(why)) {
      this.#over = true;
      exchange.context.attempts.remove(this.#place);
      return this.#placement.repeat(this.#pod);
    }
    if (why === 'body_failed') return this.#giveUp();
    this.#blame();
    const problem = problemOf(why);
    this.#end();
    if (!exchange.hasBegun) return this.#moveOn(problem, why);
    this.breakOff(problem);
    exchange.brokeOff(why);
  }

  /** A caller that does not read must not keep a place on the pod. */
  #cutCaller(): void {
    this.#exchange.abandon('caller_stalled');
    this.#exchange.call.cut();
  }

  /** The request itself may be what stops the pods, so it must not reach all of them in turn. */
  #moveOn(problem: Problem, why: CallFailure) {
    const exchange = this.#exchange;
    if (isSilence(why)) return exchange.refuse(problem, why);
    // After a repetition, a refused connection may mean that the first one killed the pod.
    const reached = this.#connection?.connected || this.#placement.repeatedOn === this.#pod;
    if (reached) return this.#placement.moveAfterLoss(this.#pod, problem, why);
    this.#placement.move(this.#pod, problem, why);
  }

  /** Ends an answer that can't be completed: with an error event in a stream, by cutting the connection otherwise. */
  breakOff(problem: Problem) {
    const { call } = this.#exchange;
    if (call.over) return;
    if (!this.#isEvents || this.#hasLength) return call.cut();
    const separator = this.#tail.endsEvent() ? '' : '\n\n';
    call.write(Buffer.from(`${separator}event: error\ndata: ${JSON.stringify(openaiBody(problem))}\n\n`));
    call.end();
  }

  #beginAnswer(): void {
    const exchange = this.#exchange;
    exchange.answerBegan(this.#status);
    this.#isEvents = headerOf(this.#headers, 'content-type')?.startsWith('text/event-stream') ?? false;
    const headers = answeredHeaders(this.#headers, exchange.requestId, this.#pod.headerId);
    const origin = headerOf(exchange.call.headers, 'origin');
    if (origin !== undefined) headers.push(...exchange.context.corsHeaders(origin));
    const length = headerOf(this.#headers, 'content-length');
    this.#hasLength = length !== undefined;
    exchange.call.begin(this.#status, headers, length === undefined ? undefined : Number(length));
  }

  /** What the pod has used so far, for an answer that is given up. */
  usageSoFar(): TokenCounts | undefined {
    if (this.#over || (this.#status !== 0 && this.#status !== 200)) return undefined;
    const { endpoint, payload } = this.#exchange;
    // The size of a recording says nothing about tokens.
    if (!payload || endpoint.task === 'tts') return undefined;
    const { promptTokens } = payload;
    // The pod has read the prompt, whether or not the answer is still wanted.
    const written = endpoint.generates ? Math.ceil(this.#bytes / bytesPerToken) : 0;
    return this.#tail.usage() ?? this.#estimate(this.#events) ?? { promptTokens, completionTokens: written };
  }

  /** A stream reports its usage only if the caller asked for it, but limits apply to all streams. */
  #estimate(events: number): TokenCounts | undefined {
    if (!this.#isEvents || this.#status !== 200) return undefined;
    const promptTokens = this.#exchange.payload?.promptTokens ?? 0;
    return { promptTokens, completionTokens: Math.max(0, events) };
  }

  /** The pod seems to have closed an idle connection just as it was reused. */
  #wasStale(why: CallFailure): boolean {
    if (!this.#reused || this.#connection?.heard || !this.#exchange.payload?.canSend()) return false;
    return why === 'closed' || why === 'ECONNRESET' || why === 'EPIPE';
  }

  /** The request could not be read from the caller, which is not the pod's fault. */
  #giveUp(): void {
    this.cancel();
    if (this.#exchange.call.over) this.#exchange.abandon();
    else this.#exchange.crash(new Error('the request could not be read to its end'));
  }

  #blame(): void {
    const { clock, settings } = this.#exchange.context;
    recordFailure(this.#breaker, this.#generation, clock.now(), settings.breaker);
  }

  #end(): void {
    this.#over = true;
    this.#exchange.context.attempts.remove(this.#place);
    this.#exchange.context.scheduler.release(this.#pod);
  }
}

function isSilence(why: CallFailure): boolean {
  return why === 'first_byte_timeout' || why === 'idle_timeout';
}

function problemOf(why: CallFailure): Problem {
  if (isSilence(why)) {
    return new DeadlineExceeded('the pod did not answer in time');
  }
  if (why === 'not_http') return new UpstreamFailed('the pod answered with something that is not HTTP');
  return unavailable();
}

function unavailable(): Problem {
  return new Unavailable('the pod that served this model is gone', { code: 'pod_unavailable', retryAfter });
}

/** Whether a pod, or a proxy in front of it, says that it can't serve at present. Another pod may be able to. */
function isUnable(status: number): boolean {
  return status === 502 || status === 503 || status === 504;
}

import type { TokenCounts } from '../../contracts/openai/read-usage.ts';
import { DeadlineExceeded, type Problem, Unavailable, UpstreamFailed } from '../../contracts/problems.ts';
import { openaiBody } from '../../platform/http/errors/problem-shapes.ts';
import { AnswerTail, bytesPerToken, eventsIn } from '../../platform/inference/streams/answer-tail.ts';
import { traceHeaders } from '../../platform/telemetry/trace-context.ts';
import { type HeaderPairs, headerLines, headerOf } from '../../platform/wire/head.ts';
import type { Piece } from '../../platform/wire/piece.ts';
import type { RoutedPod } from '../pods/routed-pod.ts';
import { recordFailure, recordNothing, recordSuccess } from '../routing/circuit-breaker.ts';
import type { CallFailure, PodConnection } from '../wire/pod-connection.ts';
import type { ConnectionPool } from './connections/connection-pool.ts';
import type { Exchange } from './exchange.ts';
import { GuardedAttempt } from './guarded.ts';
import { answeredHeaders, forwardedHeaders } from './headers.ts';

const retryAfter = 5;
const noHeaders: HeaderPairs = [];

/** One try of one request on one pod. */
export class Attempt {
  readonly #exchange: Exchange;
  readonly #pod: RoutedPod;
  readonly #tail = new AnswerTail();
  #pool: ConnectionPool | undefined;
  #connection: PodConnection | undefined;
  #reused = false;
  #status = 0;
  #headers = noHeaders;
  #isEvents = false;
  /** How many events of a stream have gone by. */
  #events = 0;
  /** How many bytes of the body have gone by. */
  #bytes = 0;
  #over = false;
  /** Its place among those under way. */
  #place = 0;

  constructor(exchange: Exchange, pod: RoutedPod) {
    this.#exchange = exchange;
    this.#pod = pod;
  }

  begin(onNewConnection: boolean): void {
    const { context, payload, endpoint, call, requestId, span, model } = this.#exchange;
    const guarded = new GuardedAttempt(this, this.#exchange);
    this.#place = context.attempts.add(guarded);
    try {
      const pool = context.pools.of(this.#pod);
      const body = payload?.bodyFor(this.#pod.nameFor(model)) ?? Buffer.alloc(0);
      const length = Buffer.isBuffer(body) ? body.length : payload?.length;
      const headers = forwardedHeaders(call.headers, requestId, span && traceHeaders(span.context));
      const head =
        `POST ${pool.basePath}${endpoint.path} HTTP/1.1\r\nhost: ${pool.host}\r\n` +
        headerLines(headers) +
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

  /** Nobody waits for the answer any more. */
  cancel(): void {
    if (this.#over) return;
    recordNothing(this.#pod.breaker);
    this.#end();
    this.#connection?.destroy();
  }

  /** The caller that did not keep up does again. */
  resume(): void {
    if (!this.#over) this.#connection?.resume();
  }

  /** Looks whether the pod has been silent for too long: on this request, or altogether. */
  checkSilence(now: number): void {
    const { expiresAt } = this.#pod;
    const { first_byte_timeout, idle_timeout } = this.#exchange.context.settings;
    this.#connection?.checkSilence(performance.now(), first_byte_timeout, idle_timeout);
    // One that said it is ending may still finish what it has begun.
    if (this.#over || expiresAt === 0 || now < expiresAt || this.#exchange.hasBegun) return;
    if (!this.#exchange.canMove(this.#pod)) return;
    this.cancel();
    this.#exchange.move(this.#pod, unavailable(), 'pod_silent');
  }

  onHead(status: number, headers: HeaderPairs): void {
    this.#status = status;
    this.#headers = headers;
    if (!isUnable(status)) return;
    const movable = this.#exchange.canMove(this.#pod);
    this.#blame();
    if (!movable) return;
    this.#end();
    this.#connection?.destroy();
    this.#exchange.move(this.#pod, unavailable(), `pod_${status}`);
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
    return this.#over || !this.#exchange.hasBegun || this.#exchange.call.flush();
  }

  onEnd(): void {
    if (this.#over) return;
    const exchange = this.#exchange;
    if (!exchange.hasBegun) this.#beginAnswer();
    exchange.call.end();
    if (!isUnable(this.#status)) recordSuccess(this.#pod.breaker);
    // The last event of a stream says that it is over.
    const usage = this.#tail.usage() ?? this.#estimate(this.#events - 1);
    if (this.#connection) this.#pool?.give(this.#connection);
    this.#end();
    exchange.answered(usage);
  }

  onFailure(why: CallFailure) {
    if (this.#over) return;
    const exchange = this.#exchange;
    if (this.#wasStale(why)) {
      this.#over = true;
      exchange.context.attempts.remove(this.#place);
      return exchange.repeat(this.#pod);
    }
    if (why === 'body_failed') return this.#giveUp();
    this.#blame();
    const problem = problemOf(why);
    this.#end();
    if (!exchange.hasBegun) return exchange.move(this.#pod, problem, why);
    this.breakOff(problem);
    exchange.brokeOff(why);
  }

  /** The answer has begun and can't be completed: event streams say so, others are cut so that nobody takes them for whole. */
  breakOff(problem: Problem) {
    const { call } = this.#exchange;
    if (call.over) return;
    if (!this.#isEvents) return call.cut();
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
    exchange.call.begin(this.#status, headers, length === undefined ? undefined : Number(length));
  }

  /** What the pod has done until now, where the answer is not waited for to its end. */
  usageSoFar(): TokenCounts | undefined {
    if (this.#over || (this.#status !== 0 && this.#status !== 200)) return undefined;
    const { endpoint, payload } = this.#exchange;
    // The length of a recording says nothing about tokens.
    if (!payload || endpoint.task === 'tts') return undefined;
    const { promptTokens } = payload;
    // A pod reads the prompt at once, whether or not anybody waits for the answer.
    const written = endpoint.generates ? Math.ceil(this.#bytes / bytesPerToken) : 0;
    return this.#tail.usage() ?? this.#estimate(this.#events) ?? { promptTokens, completionTokens: written };
  }

  /** A stream tells its usage only where the caller asked for it; limits hold for the others too. */
  #estimate(events: number): TokenCounts | undefined {
    if (!this.#isEvents || this.#status !== 200) return undefined;
    const promptTokens = this.#exchange.payload?.promptTokens ?? 0;
    return { promptTokens, completionTokens: Math.max(0, events) };
  }

  /** An idle connection that the pod closed just as we used it: no request of ours was read. */
  #wasStale(why: CallFailure): boolean {
    if (!this.#reused || this.#connection?.heard || !this.#exchange.payload?.canSend()) return false;
    return why === 'closed' || why === 'ECONNRESET' || why === 'EPIPE';
  }

  /** What was to be sent could not be read: no fault of the pod's. */
  #giveUp(): void {
    this.cancel();
    if (this.#exchange.call.over) this.#exchange.abandon();
    else this.#exchange.crash(new Error('the request could not be read to its end'));
  }

  #blame(): void {
    const { clock, settings } = this.#exchange.context;
    recordFailure(this.#pod.breaker, clock.now(), settings.breaker);
  }

  #end(): void {
    this.#over = true;
    this.#exchange.context.attempts.remove(this.#place);
    this.#exchange.context.scheduler.release(this.#pod);
  }
}

function problemOf(why: CallFailure): Problem {
  if (why === 'first_byte_timeout' || why === 'idle_timeout') {
    return new DeadlineExceeded('the pod did not answer in time');
  }
  if (why === 'not_http') return new UpstreamFailed('the pod answered with something that is not HTTP');
  return unavailable();
}

function unavailable(): Problem {
  return new Unavailable('the pod that served this model is gone', { code: 'pod_unavailable', retryAfter });
}

/** What a pod or its own proxy answers that can't serve at present; another pod may. */
function isUnable(status: number): boolean {
  return status === 502 || status === 503 || status === 504;
}

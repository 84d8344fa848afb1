import type { ServerResponse } from 'node:http';
import type { Client, Dispatcher } from 'undici';
import { DeadlineExceeded, type Problem, Unavailable, UpstreamFailed } from '../../contracts/problems.ts';
import { openaiBody } from '../../platform/http/problem-shapes.ts';
import { traceHeaders } from '../../platform/telemetry/trace-context.ts';
import type { Span } from '../../platform/telemetry/tracing.ts';
import type { PodState } from '../pods/pod-state.ts';
import { recordFailure, recordNothing, recordSuccess } from '../scheduling/circuit-breaker.ts';
import { AnswerTail, eventsIn } from './answer-tail.ts';
import type { Exchange } from './exchange.ts';
import { answeredHeaders, forwardedHeaders } from './headers.ts';
import type { Usage } from './read-usage.ts';
import type { Upstream } from './upstream.ts';
import { writeChunk, writeFirstChunk } from './write-chunk.ts';

type Controller = Dispatcher.DispatchController;
type Headers = Record<string, string | string[] | undefined>;

const cancelled = new Error('the request was cancelled');
const retryAfter = 5;
/** Of English text, and near enough of others. */
const bytesAToken = 4;

/** One try of one request on one pod. */
export class Attempt implements Dispatcher.DispatchHandler {
  readonly #exchange: Exchange;
  readonly #pod: PodState;
  readonly #tail = new AnswerTail();
  #upstream: Upstream | undefined;
  #client: Client | undefined;
  #reused = false;
  #controller: Controller | undefined;
  #status = 0;
  #headers: Headers = {};
  #isEvents = false;
  /** How many events of a stream have gone by. */
  #events = 0;
  /** The whole body, where it came in one piece: its head goes out together with it. */
  #whole: Buffer | undefined;
  #over = false;
  /** Its place among those under way. */
  #place = 0;

  constructor(exchange: Exchange, pod: PodState) {
    this.#exchange = exchange;
    this.#pod = pod;
  }

  begin(onNewConnection: boolean): void {
    const exchange = this.#exchange;
    const { payload, endpoint, request, requestId } = exchange;
    this.#place = exchange.context.attempts.add(this);
    try {
      const upstream = exchange.context.upstreams.of(this.#pod);
      const idle = onNewConnection ? undefined : upstream.takeIdle();
      const client = idle ?? upstream.open();
      this.#upstream = upstream;
      this.#client = client;
      this.#reused = idle !== undefined;
      const headers = forwardedHeaders(request.headers, requestId);
      if (exchange.span) replaceTrace(headers, exchange.span);
      const body = payload?.bodyFor(this.#pod.nameFor(exchange.model));
      if (payload?.length !== undefined) headers.push('content-length', String(payload.length));
      client.dispatch({ path: upstream.basePath + endpoint.path, method: 'POST', headers, body }, this);
    } catch (error) {
      this.#end();
      exchange.crash(error);
    }
  }

  /** Nobody waits for the answer any more. */
  cancel(): void {
    if (this.#over) return;
    recordNothing(this.#pod.breaker);
    this.#end();
    if (this.#controller) this.#controller.abort(cancelled);
    else void this.#client?.destroy(cancelled);
  }

  /** No word from the pod for too long, neither an answer nor a report: another one is asked, if there is one. */
  leaveIfSilent(now: number): void {
    const { expiresAt } = this.#pod;
    // One that said it is ending may still finish what it has begun.
    if (expiresAt === 0 || now < expiresAt || this.#exchange.firstByteAt !== 0) return;
    if (!this.#exchange.canMove(this.#pod)) return;
    this.cancel();
    this.#exchange.move(this.#pod, this.#unavailable(), 'pod_silent');
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    if (this.#over) controller.abort(cancelled);
  }

  onResponseStart(controller: Controller, status: number, headers: Headers): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
    if (isUnable(status)) {
      const movable = this.#exchange.canMove(this.#pod);
      this.#blame();
      if (!movable) return;
      this.#end();
      controller.abort(cancelled);
      this.#exchange.move(this.#pod, this.#unavailable(), `pod_${status}`);
    }
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    // A chunk of nothing would be framed as the end of the answer.
    if (this.#over || chunk.length === 0) return;
    const { response } = this.#exchange;
    const isFirst = this.#exchange.firstByteAt === 0;
    if (isFirst) this.#beginAnswer(response);
    this.#tail.add(chunk);
    if (this.#isEvents) this.#events += eventsIn(chunk);
    if (isFirst && Number(this.#headers['content-length']) === chunk.length) {
      this.#whole = chunk;
      return;
    }
    const write = isFirst ? writeFirstChunk : writeChunk;
    if (!write(response, chunk, () => controller.resume())) controller.pause();
  }

  onResponseEnd(): void {
    if (this.#over) return;
    const exchange = this.#exchange;
    const { response } = exchange;
    if (exchange.firstByteAt === 0) this.#beginAnswer(response);
    if (this.#whole) response.end(this.#whole.toString('latin1'), 'latin1');
    else response.end();
    if (!isUnable(this.#status)) recordSuccess(this.#pod.breaker);
    exchange.usage = this.#tail.usage() ?? this.#estimate();
    this.#end();
    if (this.#client) this.#upstream?.give(this.#client);
    exchange.finish();
  }

  onResponseError(_controller: Controller | null, error: Error) {
    if (this.#over) return;
    const exchange = this.#exchange;
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (exchange.firstByteAt === 0 && this.#status === 0 && this.#wasStale(code)) {
      this.#over = true;
      exchange.context.attempts.remove(this.#place);
      return exchange.repeat(this.#pod);
    }
    // The caller's own body broke off: no fault of the pod's.
    if (!exchange.request.complete && exchange.request.errored) return exchange.abandon();
    this.#blame();
    const problem = this.#problemOf(code);
    this.#end();
    if (exchange.firstByteAt === 0) return exchange.move(this.#pod, problem, code || 'failed');
    exchange.failure = code || 'broken_off';
    this.breakOff(problem);
    exchange.finish();
  }

  /** The answer has begun and can't be completed: event streams say so, others are cut so that nobody takes them for whole. */
  breakOff(problem: Problem): void {
    const { response } = this.#exchange;
    if (response.writableEnded) return;
    if (!this.#isEvents) return void response.destroy();
    const separator = this.#tail.endsEvent() ? '' : '\n\n';
    response.end(`${separator}event: error\ndata: ${JSON.stringify(openaiBody(problem))}\n\n`);
  }

  #beginAnswer(response: ServerResponse): void {
    const exchange = this.#exchange;
    exchange.firstByteAt = performance.now();
    exchange.status = this.#status;
    const type = this.#headers['content-type'];
    this.#isEvents = typeof type === 'string' && type.startsWith('text/event-stream');
    const headers = answeredHeaders(this.#headers, exchange.requestId, this.#pod.headerId);
    const origin = exchange.request.headers.origin;
    if (origin !== undefined) headers.push(...exchange.context.corsHeaders(origin));
    response.writeHead(this.#status, headers);
  }

  /** A stream tells its usage only where the caller asked for it; limits hold for the others too. */
  #estimate(): Usage | undefined {
    if (!this.#isEvents || this.#status !== 200) return undefined;
    const prompt = this.#exchange.payload?.prompt;
    const promptTokens = prompt ? Math.ceil((prompt.bytes.length - prompt.start) / bytesAToken) : 0;
    return { promptTokens, completionTokens: Math.max(0, this.#events - 1) };
  }

  /** An idle connection that the pod closed just as we used it: no request of ours was read. */
  #wasStale(code: string): boolean {
    if (!this.#reused || !this.#exchange.payload?.canSend()) return false;
    return code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE';
  }

  #problemOf(code: string): Problem {
    if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') {
      return new DeadlineExceeded('the pod did not answer in time');
    }
    if (code.startsWith('HPE_') || code.startsWith('UND_ERR_RES')) {
      return new UpstreamFailed('the pod answered with something that is not HTTP');
    }
    return this.#unavailable();
  }

  #unavailable(): Problem {
    return new Unavailable('the pod that served this model is gone', { code: 'pod_unavailable', retryAfter });
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

/** The pod's span hangs on ours, not on the caller's. */
function replaceTrace(headers: string[], span: Span): void {
  for (let at = headers.length - 2; at >= 0; at -= 2) {
    if (headers[at] === 'traceparent' || headers[at] === 'tracestate') headers.splice(at, 2);
  }
  headers.push(...Object.entries(traceHeaders(span.context)).flat());
}

/** What a pod or its own proxy answers that can't serve at present; another pod may. */
function isUnable(status: number): boolean {
  return status === 502 || status === 503 || status === 504;
}

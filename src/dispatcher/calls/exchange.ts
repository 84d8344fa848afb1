import type { TokenCounts } from '../../contracts/openai/read-usage.ts';
import {
  BadRequest,
  DeadlineExceeded,
  InternalFault,
  NotFound,
  Problem,
  Unavailable,
} from '../../contracts/problems.ts';
import { servedName } from '../../platform/inference/inference-front.ts';
import type { Span } from '../../platform/telemetry/tracing.ts';
import type { RoutedPod } from '../pods/routed-pod.ts';
import type { Route, Waiter } from '../routing/route.ts';
import type { Ticket } from '../routing/waiting-line.ts';
import type { Call, CallOwner } from '../wire/call.ts';
import { answerProblem } from './answer-problem.ts';
import { Attempt } from './attempt.ts';
import type { ProxyCaller, ProxyContext } from './context.ts';
import type { Endpoint } from './endpoints.ts';
import { parseRequest } from './parse-request.ts';
import { JsonPayload, type Payload } from './payload.ts';
import type { Surface } from './surface.ts';

const nobody: readonly RoutedPod[] = [];
/** When a pod that is gone may be back: it reports every few seconds once it is. */
const retryAfter = 5;

/** One request on its way: placed on a pod, waiting for one, tried on another, answered, or given up by its caller. */
export class Exchange implements Waiter, CallOwner {
  readonly context: ProxyContext;
  readonly surface: Surface;
  readonly endpoint: Endpoint;
  readonly call: Call;
  caller: ProxyCaller;
  readonly requestId: string;

  /** Moments, in milliseconds of `performance.now()`; 0 while they have not come. */
  readonly startedAt = performance.now();
  routedAt = 0;
  firstByteAt = 0;
  endedAt = 0;
  /** Time spent in the line. */
  queued = 0;

  model = '';
  status = 0;
  pod: RoutedPod | undefined;
  usage: TokenCounts | undefined;
  /** What went wrong, where something did: a word for the log and the metrics. */
  failure = '';
  span: Span | undefined;

  payload: Payload | undefined;
  /** Clears away what was held of a body that never became a payload. */
  discard: (() => void) | undefined;
  #route: Route<RoutedPod> | undefined;
  #failed: readonly RoutedPod[] = nobody;
  #attempt: Attempt | undefined;
  #ticket: Ticket<Waiter> | undefined;
  #queuedAt = 0;
  #deadline: NodeJS.Timeout | undefined;
  #patience: NodeJS.Timeout | undefined;
  #entered = false;

  constructor(
    context: ProxyContext,
    surface: Surface,
    endpoint: Endpoint,
    call: Call,
    caller: ProxyCaller,
    requestId: string,
  ) {
    this.context = context;
    this.surface = surface;
    this.endpoint = endpoint;
    this.call = call;
    this.caller = caller;
    this.requestId = requestId;
  }

  get ended(): boolean {
    return this.endedAt !== 0;
  }

  /** Limits how long everything may take, in milliseconds; 0 is for ever. */
  limit(milliseconds: number): void {
    if (milliseconds > 0) this.#deadline = setTimeout(expire, milliseconds, this);
  }

  /** The body of a request in JSON is here. */
  receive(bytes: Buffer): void {
    try {
      this.send(new JsonPayload(this.endpoint, parseRequest(this.endpoint, bytes), bytes));
    } catch (error) {
      this.crash(error);
    }
  }

  /** The body is understood: find it a pod. */
  send(payload: Payload) {
    if (this.ended) return;
    this.payload = payload;
    const served = servedName(this.surface, payload.model);
    this.model = served ?? payload.model;
    if (served === undefined) return this.refuse(unknownModel(payload.model));
    const route = this.context.directory.find(this.model, this.endpoint.task);
    if (route === undefined) return this.refuse(unknownModel(payload.model));
    if (route === 'wrong task') return this.refuse(wrongTask(payload.model, this.endpoint));
    const refusal = this.surface.gate.enter(this.caller, payload.model);
    if (refusal) return this.refuse(refusal);
    this.#entered = true;
    this.#route = route;
    this.#place(route);
  }

  tryAgain(): void {
    clearTimeout(this.#patience);
    this.queued += performance.now() - this.#queuedAt;
    this.#ticket = undefined;
    if (!this.ended && this.#route) this.#place(this.#route);
  }

  /** Whether an attempt that failed before its first byte may be made elsewhere. */
  canMove(from: RoutedPod): boolean {
    if (this.ended || !this.#route || !this.payload?.canSend()) return false;
    if (this.#failed.length + 1 >= this.context.settings.attempts) return false;
    return this.context.scheduler.hasOther(this.#route, [...this.#failed, from]);
  }

  /** The pod failed before the first byte: the caller sees nothing of it while another can be asked. */
  move(from: RoutedPod, problem: Problem, failure: string) {
    if (!this.canMove(from)) return this.refuse(problem, failure);
    this.#failed = [...this.#failed, from];
    this.failure = failure;
    this.#place(this.#route as Route<RoutedPod>);
  }

  /** The connection was an old one that the pod had closed: the same pod again, on a new one. */
  repeat(pod: RoutedPod): void {
    this.#dispatch(pod, true);
  }

  /** Answers with a problem of ours. */
  refuse(problem: Problem, failure = problem.code): void {
    if (this.ended) return;
    this.failure = failure;
    this.status = answerProblem(this, problem);
    this.finish();
  }

  /** Something threw where nothing should. */
  crash(error: unknown) {
    if (error instanceof Problem) return this.refuse(error);
    this.context.logger.error({ err: error, request_id: this.requestId }, 'the proxy failed');
    this.refuse(new InternalFault('internal error; see the server log for this request id'));
  }

  /** The caller is gone: so must be everything that was done for it. */
  abandon(): void {
    if (this.ended) return;
    this.failure = 'client_gone';
    this.status ||= 499;
    this.#attempt?.cancel();
    this.finish();
  }

  /** The caller keeps up again. */
  resume(): void {
    this.#attempt?.resume();
  }

  expire() {
    if (this.ended) return;
    this.#attempt?.cancel();
    const problem = new DeadlineExceeded('the request took longer than its time limit');
    if (this.firstByteAt === 0) return this.refuse(problem);
    this.failure = problem.code;
    this.#attempt?.breakOff(problem);
    this.finish();
  }

  /** Everything is said: count it, and leave nothing running. */
  finish(): void {
    if (this.ended) return;
    this.endedAt = performance.now();
    clearTimeout(this.#deadline);
    clearTimeout(this.#patience);
    if (this.#ticket && this.#route) this.context.scheduler.stopWaiting(this.#route, this.#ticket);
    this.payload?.dispose();
    this.discard?.();
    if (this.#entered) {
      const { promptTokens = 0, completionTokens = 0 } = this.usage ?? {};
      this.surface.gate.leave(this.caller, this.model, promptTokens + completionTokens);
    }
    this.context.observe(this);
  }

  #place(route: Route<RoutedPod>) {
    const pod = this.context.scheduler.place(route, this.payload?.prompt, this.#failed);
    if (pod === 'none') return this.refuse(noPod(this.model));
    if (pod === 'full') return this.#wait(route);
    this.#dispatch(pod, false);
  }

  #dispatch(pod: RoutedPod, onNewConnection: boolean): void {
    this.pod = pod;
    this.routedAt ||= performance.now();
    this.#attempt = new Attempt(this, pod);
    this.#attempt.begin(onNewConnection);
  }

  #wait(route: Route<RoutedPod>) {
    this.#ticket = this.context.scheduler.wait(route, this.caller.id, this);
    if (!this.#ticket) return this.refuse(busy('the line for this model is full'), 'queue_full');
    this.#queuedAt = performance.now();
    this.#patience = setTimeout(losePatience, this.context.settings.queue_timeout, this);
  }
}

function expire(exchange: Exchange): void {
  exchange.expire();
}

function losePatience(exchange: Exchange): void {
  exchange.refuse(busy('no pod of this model became free in time'), 'queue_timeout');
}

function unknownModel(model: string): Problem {
  return new NotFound('model', model, { code: 'model_not_found', param: 'model' });
}

function wrongTask(model: string, { path }: Endpoint): Problem {
  return new BadRequest(`model '${model}' can't be used at ${path}`, { code: 'wrong_task', param: 'model' });
}

function noPod(model: string): Problem {
  return new Unavailable(`no pod that serves '${model}' is up at present`, {
    code: 'no_live_pod',
    retryAfter,
  });
}

function busy(why: string): Problem {
  return new Unavailable(`all pods are busy: ${why}`, { code: 'overloaded', retryAfter });
}

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
import type { Entrance, Place } from '../../platform/metering/key-limits.ts';
import { unlimited } from '../../platform/metering/reservation.ts';
import type { Span } from '../../platform/telemetry/tracing.ts';
import type { RoutedPod } from '../pods/routed-pod.ts';
import type { Route, Waiter } from '../routing/route.ts';
import type { Ticket } from '../routing/waiting-line.ts';
import type { Call } from '../wire/call.ts';
import { answerProblem } from './answer-problem.ts';
import { Attempt } from './attempt.ts';
import type { ProxyCaller, ProxyContext } from './context.ts';
import { endSpan } from './end-span.ts';
import type { Endpoint } from './endpoints.ts';
import type { FinishedRequest } from './finished-request.ts';
import { GuardedExchange } from './guarded.ts';
import { parseRequest } from './parse-request.ts';
import { JsonPayload, type Payload } from './payload.ts';
import type { Surface } from './surface.ts';

const unidentified: ProxyCaller = { id: 'unidentified' };
const nobody: readonly RoutedPod[] = [];
const longestNameShown = 200;
/** Seconds after which a pod may be back: a running pod reports every few seconds. */
const retryAfter = 5;

/** One request on its way: placed on a pod, waiting for one, tried on another, answered, or given up by its caller. */
export class Exchange {
  readonly context: ProxyContext;
  readonly surface: Surface;
  readonly endpoint: Endpoint;
  readonly call: Call;
  readonly requestId: string;
  readonly span: Span | undefined;
  /** What sockets, timers and the scheduler are given in place of this. */
  readonly guarded = new GuardedExchange(this);

  /** Moments, in milliseconds of `performance.now()`; 0 while they have not come. */
  readonly #startedAt = performance.now();
  #routedAt = 0;
  #firstByteAt = 0;
  #endedAt = 0;
  #queuedAt = 0;
  /** Time spent in the line. */
  #queued = 0;

  #caller = unidentified;
  #model = '';
  #status = 0;
  #pod: RoutedPod | undefined;
  #usage: TokenCounts | undefined;
  #failure = '';
  #payload: Payload | undefined;
  #discard: (() => void) | undefined;
  #reservation: Place | undefined;
  #route: Route<RoutedPod> | undefined;
  #failed: readonly RoutedPod[] = nobody;
  /** Whether a connection was lost after this request was sent on it. */
  #wasLost = false;
  /** The pod that was sent the request twice, because the first connection seemed to be stale. */
  #repeatedOn: RoutedPod | undefined;
  #attempt: Attempt | undefined;
  #ticket: Ticket<Waiter> | undefined;
  #deadline: NodeJS.Timeout | undefined;
  #patience: NodeJS.Timeout | undefined;
  /** The total of all pauses of the process when it began to wait. */
  #pausedBefore = 0;

  constructor(
    context: ProxyContext,
    surface: Surface,
    endpoint: Endpoint,
    call: Call,
    requestId: string,
    span: Span | undefined,
  ) {
    this.context = context;
    this.surface = surface;
    this.endpoint = endpoint;
    this.call = call;
    this.requestId = requestId;
    this.span = span;
  }

  get ended(): boolean {
    return this.#endedAt !== 0;
  }

  /** Whether the caller was sent something of an answer. */
  get hasBegun(): boolean {
    return this.#firstByteAt !== 0;
  }

  get model(): string {
    return this.#model;
  }

  get payload(): Payload | undefined {
    return this.#payload;
  }

  /** It is known who calls. */
  identified(caller: ProxyCaller): void {
    this.#caller = caller;
  }

  /** Limits how long everything may take, in milliseconds; 0 is for ever. */
  limit(milliseconds: number): void {
    if (milliseconds > 0) this.#deadline = setTimeout(expire, milliseconds, this.guarded);
  }

  /** A place among the caller's parallel requests was taken, or refused. Returns whether to go on. */
  begun(entrance: Entrance): boolean {
    if (this.ended) {
      // The caller left in the meantime.
      if (!(entrance instanceof Problem)) entrance.settle({});
      return false;
    }
    if (entrance instanceof Problem) {
      this.refuse(entrance);
      return false;
    }
    this.#reservation = entrance;
    return true;
  }

  /** What clears away the parts of a body that is being read; `undefined` once they belong to a payload. */
  discardWith(discard: (() => void) | undefined): void {
    this.#discard = discard;
  }

  /** The body of a request in JSON is here. */
  receive(bytes: Buffer): void {
    this.send(new JsonPayload(this.endpoint, parseRequest(this.endpoint, bytes), bytes));
  }

  /** The body is understood: find it a pod. */
  send(payload: Payload) {
    if (this.ended) return;
    this.#payload = payload;
    const served = servedName(this.surface, payload.model);
    this.#model = served ?? payload.model;
    if (served === undefined) return this.refuse(unknownModel(payload.model));
    const route = this.context.directory.find(this.#model, this.endpoint.task);
    if (route === undefined) return this.refuse(unknownModel(payload.model));
    if (route === 'wrong task') return this.refuse(wrongTask(payload.model, this.endpoint));
    this.#route = route;
    const claim = { model: payload.model, served, tokens: payload.promptTokens + payload.maxTokens };
    const entrance = this.surface.gate.enter(this.#caller, claim, this.#reservation ?? unlimited);
    if (entrance instanceof Promise) this.#enterLater(entrance);
    else this.#enter(entrance);
  }

  /** Whether some pods have failed this request already. */
  get isChoosy(): boolean {
    return this.#failed.length > 0;
  }

  /** It has waited too long, unless this process was paused in the meantime: then it waits longer. */
  losePatience() {
    const { pauses } = this.context;
    pauses.check();
    const paused = pauses.total - this.#pausedBefore;
    if (paused === 0) return this.refuse(busy('no pod of this model became free in time'), 'queue_timeout');
    this.#pausedBefore = pauses.total;
    this.#patience = setTimeout(losePatience, paused, this.guarded);
  }

  /** Takes its turn in the line. Returns false if there is no room for it. */
  tryAgain(): boolean {
    const [route, ticket] = [this.#route, this.#ticket];
    if (!route || !ticket) return true;
    const pod = this.context.scheduler.place(route, this.#payload?.prompt, this.#failed);
    if (pod === 'full') return false;
    this.#leaveLine();
    this.context.scheduler.endWait(route, ticket);
    if (pod === 'none') this.refuse(noPod(this.#model));
    else this.#dispatch(pod, this.#wasLost);
    return true;
  }

  /** Whether an attempt that failed before its first byte may be made elsewhere. */
  canMove(from: RoutedPod): boolean {
    if (this.ended || !this.#route || !this.#payload?.canSend()) return false;
    if (this.#failed.length + 1 >= this.context.settings.attempts) return false;
    return this.context.scheduler.hasOther(this.#route, [...this.#failed, from]);
  }

  /** The pod died under the request, or seems to have. The request may be the cause, so only one other pod gets it. */
  moveAfterLoss(from: RoutedPod, problem: Problem, failure: string) {
    if (this.#wasLost) return this.refuse(problem, failure);
    this.#wasLost = true;
    this.move(from, problem, failure);
  }

  /** The pod could not serve the request: another one is asked, without the caller noticing. */
  move(from: RoutedPod, problem: Problem, failure: string) {
    if (!this.canMove(from)) return this.refuse(problem, failure);
    this.#failed = [...this.#failed, from];
    this.#failure = failure;
    this.#place(this.#route as Route<RoutedPod>);
  }

  get repeatedOn(): RoutedPod | undefined {
    return this.#repeatedOn;
  }

  /** Sends the request to the same pod on a new connection. */
  repeat(pod: RoutedPod): void {
    this.#repeatedOn = pod;
    this.#dispatch(pod, true);
  }

  /** The head of an answer is here, and goes to the caller. */
  answerBegan(status: number): void {
    this.#firstByteAt = performance.now();
    this.#status = status;
  }

  /** The answer is complete. */
  answered(usage: TokenCounts | undefined): void {
    this.#usage = usage;
    this.#finish();
  }

  /** The pod failed in the middle of its answer, and the caller was told. */
  brokeOff(failure: string): void {
    this.#failure = failure;
    this.#finish();
  }

  /** Answers with a problem of ours. */
  refuse(problem: Problem, failure = problem.code): void {
    if (this.ended) return;
    this.#failure = failure;
    this.#status = answerProblem(this, problem);
    this.#finish();
  }

  /** Something threw. Whatever is broken, the request ends here, and nothing is thrown on. */
  crash(error: unknown) {
    if (this.ended) return this.#logCrash(error);
    try {
      if (error instanceof Problem && !this.hasBegun) return this.refuse(error);
      this.#logCrash(error);
      this.#attempt?.cancel();
      const fault = new InternalFault('internal error; see the server log for this request id');
      if (!this.hasBegun) return this.refuse(fault);
      this.#attempt?.breakOff(fault);
      this.brokeOff(fault.code);
    } catch (worse) {
      this.#logCrash(worse);
      this.call.cut();
      if (!this.ended) this.brokeOff('internal_error');
    }
  }

  /** The caller is gone: everything that was done for it ends. It is charged for what the pod has done so far. */
  abandon(failure = 'client_gone'): void {
    if (this.ended) return;
    this.#failure = failure;
    this.#status ||= 499;
    this.#usage = this.#attempt?.usageSoFar();
    this.#attempt?.cancel();
    this.#finish();
  }

  /** The caller keeps up again. */
  resume(): void {
    this.#attempt?.resume();
  }

  expire() {
    if (this.ended) return;
    this.#usage = this.#attempt?.usageSoFar();
    this.#attempt?.cancel();
    const problem = new DeadlineExceeded('the request took longer than its time limit');
    if (!this.hasBegun) return this.refuse(problem);
    this.#attempt?.breakOff(problem);
    this.brokeOff(problem.code);
  }

  /** Everything is said: count it, and leave nothing running. */
  #finish(): void {
    if (this.ended) return;
    this.#endedAt = performance.now();
    clearTimeout(this.#deadline);
    if (this.#ticket && this.#route) {
      this.context.scheduler.stopWaiting(this.#route, this.#ticket);
      this.#leaveLine();
    }
    this.#payload?.dispose();
    this.#discard?.();
    if (this.#reservation) {
      const { promptTokens = 0, completionTokens = 0 } = this.#usage ?? {};
      this.#reservation.settle({ tokens: promptTokens + completionTokens });
    }
    const record = this.#record();
    this.context.observe(record);
    if (this.span) endSpan(this.span, record);
  }

  #record(): FinishedRequest {
    return Object.freeze({
      requestId: this.requestId,
      path: this.endpoint.path,
      model: this.#model,
      key: this.#caller.id,
      pod: this.#pod?.id,
      status: this.#status,
      failure: this.#failure,
      usage: this.#usage && Object.freeze(this.#usage),
      startedAt: this.#startedAt,
      routedAt: this.#routedAt,
      firstByteAt: this.#firstByteAt,
      endedAt: this.#endedAt,
      queued: this.#queued,
    });
  }

  #logCrash(error: unknown): void {
    this.context.logger.error({ err: error, request_id: this.requestId }, 'the proxy failed');
  }

  #enter(entrance: Entrance): void {
    if (entrance instanceof Problem) this.refuse(entrance);
    else {
      this.#reservation = entrance;
      this.#place(this.#route as Route<RoutedPod>);
    }
  }

  #enterLater(entrance: Promise<Entrance>): void {
    entrance
      .then((known) => {
        if (!this.ended) this.#enter(known);
        // The caller left in the meantime.
        else if (!(known instanceof Problem)) known.settle({});
      })
      .catch((error: unknown) => this.crash(error));
  }

  #place(route: Route<RoutedPod>) {
    const pod = this.context.scheduler.place(route, this.#payload?.prompt, this.#failed);
    if (pod === 'none') return this.refuse(noPod(this.#model));
    if (pod === 'full') return this.#wait(route);
    // On a new connection it is certain whether the pod received the request.
    this.#dispatch(pod, this.#wasLost);
  }

  #dispatch(pod: RoutedPod, onNewConnection: boolean): void {
    this.#pod = pod;
    this.#routedAt ||= performance.now();
    this.#attempt = new Attempt(this, pod);
    this.#attempt.begin(onNewConnection);
  }

  #wait(route: Route<RoutedPod>) {
    this.#ticket = this.context.scheduler.wait(route, this.#caller.id, this.guarded);
    if (!this.#ticket) return this.refuse(busy('the line for this model is full'), 'queue_full');
    this.#queuedAt = performance.now();
    // A request that waits for a second time has only the rest of its time.
    const left = Math.max(0, this.context.settings.queue_timeout - this.#queued);
    this.#pausedBefore = this.context.pauses.total;
    this.#patience = setTimeout(losePatience, left, this.guarded);
  }

  #leaveLine(): void {
    clearTimeout(this.#patience);
    this.#queued += performance.now() - this.#queuedAt;
    this.#ticket = undefined;
  }
}

function expire(exchange: GuardedExchange): void {
  exchange.expire();
}

function losePatience(exchange: GuardedExchange): void {
  exchange.losePatience();
}

function unknownModel(model: string): Problem {
  const name = model.length > longestNameShown ? `${model.slice(0, longestNameShown)}…` : model;
  return new NotFound('model', name, { code: 'model_not_found', param: 'model' });
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

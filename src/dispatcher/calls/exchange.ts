import type { TokenCounts } from '../../contracts/openai/read-usage.ts';
import { DeadlineExceeded, InternalFault, Problem } from '../../contracts/problems.ts';
import { botPrefix } from '../../platform/inference/answering-models.ts';
import { servedName } from '../../platform/inference/inference-front.ts';
import type { Entrance, Place } from '../../platform/metering/key-limits.ts';
import { unlimited } from '../../platform/metering/reservation.ts';
import type { Span } from '../../platform/telemetry/tracing.ts';
import type { Call } from '../wire/call.ts';
import { answerProblem } from './answer-problem.ts';
import { OwnAnswer } from './answering/own-answer.ts';
import type { Attempt } from './attempt.ts';
import type { ProxyCaller, ProxyContext } from './context.ts';
import { endSpan } from './end-span.ts';
import type { Endpoint } from './endpoints.ts';
import type { FinishedRequest } from './finished-request.ts';
import { GuardedExchange } from './guarded.ts';
import { parseRequest } from './parse-request.ts';
import { JsonPayload, type Payload } from './payload.ts';
import { Placement } from './placement.ts';
import { noSoleModel, unknownModel, wrongTask } from './refusals.ts';
import type { Surface } from './surface.ts';

const unidentified: ProxyCaller = { id: 'unidentified' };

/** One request from its head to its end: limited, understood, placed, and answered, refused or given up. */
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
  #firstByteAt = 0;
  #endedAt = 0;

  #caller = unidentified;
  #model = '';
  #status = 0;
  #usage: TokenCounts | undefined;
  #failure = '';
  #payload: Payload | undefined;
  #discard: (() => void) | undefined;
  #reservation: Place | undefined;
  #placement: Placement | undefined;
  #own: OwnAnswer | undefined;
  #deadline: NodeJS.Timeout | undefined;

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

  get callerId(): string {
    return this.#caller.id;
  }

  /** Undefined until it is known which pods can serve the request. */
  get placement(): Placement | undefined {
    return this.#placement;
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
    const named = payload.model || this.#soleModel();
    if (named === undefined) return this.refuse(noSoleModel());
    const served = servedName(this.surface, named);
    if (served === undefined) return this.#refuseModel(named, unknownModel(named));
    if (served.startsWith(botPrefix)) return this.#ask(named, served, payload);
    if (this.#caller.onlyBots) return this.#refuseModel(served, this.#caller.onlyBots);
    const route = this.context.directory.find(served, this.endpoint.task);
    if (route === undefined) return this.#refuseModel(served, unknownModel(named));
    if (route === 'wrong task') return this.#refuseModel(served, wrongTask(named, this.endpoint));
    // The route's own string: its hash is known already when meters and the log look it up.
    this.#model = route.name;
    this.#placement = new Placement(this, route, payload);
    this.#claim(named, served, payload);
  }

  /** A pod failed, and another one is asked. */
  moved(failure: string): void {
    this.#failure = failure;
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
      this.#running?.cancel();
      const fault = new InternalFault('internal error; see the server log for this request id');
      if (!this.hasBegun) return this.refuse(fault);
      this.#running?.breakOff(fault);
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
    this.#usage = this.#running?.usageSoFar();
    this.#running?.cancel();
    this.#finish();
  }

  /** The caller keeps up again. */
  resume(): void {
    this.#running?.resume();
  }

  expire() {
    if (this.ended) return;
    this.#usage = this.#running?.usageSoFar();
    this.#running?.cancel();
    const problem = new DeadlineExceeded('the request took longer than its time limit');
    if (!this.hasBegun) return this.refuse(problem);
    this.#running?.breakOff(problem);
    this.brokeOff(problem.code);
  }

  /** Everything is said: count it, and leave nothing running. */
  #finish(): void {
    if (this.ended) return;
    this.#endedAt = performance.now();
    clearTimeout(this.#deadline);
    this.#placement?.giveUp();
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
    const placement = this.#placement;
    return Object.freeze({
      requestId: this.requestId,
      path: this.endpoint.path,
      model: this.#model,
      key: this.#caller.id,
      pod: this.#own?.acceptedAt ? '' : placement?.pod?.id,
      status: this.#status,
      failure: this.#failure,
      usage: this.#usage && Object.freeze(this.#usage),
      startedAt: this.#startedAt,
      routedAt: placement?.routedAt ?? this.#own?.acceptedAt ?? 0,
      firstByteAt: this.#firstByteAt,
      endedAt: this.#endedAt,
      queued: placement?.queued ?? 0,
    });
  }

  #logCrash(error: unknown): void {
    this.context.logger.error({ err: error, request_id: this.requestId }, 'the proxy failed');
  }

  /** The model that a request without one means. */
  #soleModel(): string | undefined {
    return this.surface.only?.[0] ?? this.context.directory.soleModel(this.endpoint.task);
  }

  /** What makes the answer at present. */
  get #running(): Attempt | OwnAnswer | undefined {
    return this.#own ?? this.#placement?.attempt;
  }

  /** Bots answer without a pod. Only the main thread has them. */
  #ask(named: string, served: string, payload: Payload) {
    const { answering, mainThread } = this.context;
    if (!this.surface.bots || !(answering || mainThread)) {
      return this.#refuseModel(served, unknownModel(named));
    }
    if (this.endpoint.path !== '/v1/chat/completions') {
      return this.#refuseModel(served, wrongTask(named, this.endpoint));
    }
    const body = payload.bodyFor(served) as Buffer;
    if (answering) {
      this.#model = served;
      this.#own = new OwnAnswer(this, answering, body);
      return this.#claim(named, served, payload);
    }
    this.#leave();
    const { call, requestId, surface, endpoint } = this;
    mainThread?.take(call, { path: surface.prefix + endpoint.path, body, requestId, shape: surface.shape });
  }

  /** Another thread goes on with the request, and limits and counts it. */
  #leave(): void {
    this.#endedAt = performance.now();
    clearTimeout(this.#deadline);
    this.#reservation?.settle({});
  }

  #claim(named: string, served: string, payload: Payload): void {
    const claim = { model: named, served, tokens: payload.promptTokens + payload.maxTokens };
    const entrance = this.surface.gate.enter(this.#caller, claim, this.#reservation ?? unlimited);
    if (entrance instanceof Promise) this.#enterLater(entrance);
    else this.#enter(entrance);
  }

  #enter(entrance: Entrance): void {
    if (entrance instanceof Problem) this.refuse(entrance);
    else {
      this.#reservation = entrance;
      this.#placement?.place();
      this.#own?.begin(this.#caller.caller);
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

  #refuseModel(model: string, problem: Problem): void {
    this.#model = model;
    this.refuse(problem);
  }
}

function expire(exchange: GuardedExchange): void {
  exchange.expire();
}

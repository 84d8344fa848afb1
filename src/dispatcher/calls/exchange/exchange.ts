import type { TokenCounts } from '../../../contracts/openai/read-usage.ts';
import { DeadlineExceeded, InternalFault, Problem } from '../../../contracts/problems.ts';
import type { Entrance } from '../../../platform/metering/key-limits.ts';
import type { Span } from '../../../platform/telemetry/tracing/tracing.ts';
import type { Call } from '../../wire/call.ts';
import { Allowance } from '../admission/allowance.ts';
import type { ProxyCaller } from '../admission/gate.ts';
import type { Surface } from '../admission/surface.ts';
import type { Attempt } from '../answering/attempt.ts';
import { OwnAnswer } from '../answering/own-answer.ts';
import type { Endpoint } from '../reading/endpoints.ts';
import { parseRequest } from '../reading/parse-request.ts';
import { JsonPayload, type Payload } from '../reading/payload.ts';
import { answerProblem } from './answer-problem.ts';
import type { ProxyContext } from './context.ts';
import { endSpan } from './end-span.ts';
import { findTarget } from './find-target.ts';
import type { FinishedRequest } from './finished-request.ts';
import { GuardedExchange } from './guarded-exchange.ts';
import { Placement } from './placement.ts';
import { RequestRecord } from './request-record.ts';

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

  readonly #record = new RequestRecord();
  readonly #allowance = new Allowance();
  #caller = unidentified;
  #payload: Payload | undefined;
  #discard: (() => void) | undefined;
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
    return this.#record.hasEnded;
  }

  /** Whether the caller was sent something of an answer. */
  get hasBegun(): boolean {
    return this.#record.hasAnswer;
  }

  get model(): string {
    return this.#record.model;
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
    const refusal = this.#allowance.take(entrance);
    if (refusal) this.refuse(refusal);
    return !this.ended;
  }

  /** What clears away the parts of a body that is being read; `undefined` once they belong to a payload. */
  discardWith(discard: (() => void) | undefined): void {
    this.#discard = discard;
  }

  /** The body of a request in JSON is here. */
  receive(bytes: Buffer): void {
    this.send(new JsonPayload(this.endpoint, parseRequest(this.endpoint, bytes), bytes));
  }

  /** The body is understood: find out what answers it. */
  send(payload: Payload) {
    if (this.ended) return;
    this.#payload = payload;
    const target = findTarget(this, payload.model, this.#caller.onlyBots);
    const { served, problem } = target;
    this.#record.model = served;
    if (problem) return this.refuse(problem);
    const { named, route } = target;
    if (!route) return this.#ask(named, served, payload);
    // The route's own string: its hash is known already when meters and the log look it up.
    this.#record.model = route.name;
    this.#placement = new Placement(this, route, payload);
    this.#claim(named, served, payload);
  }

  /** A pod failed, and another one is asked. */
  moved(failure: string): void {
    this.#record.failure = failure;
  }

  /** The head of an answer is here, and goes to the caller. */
  answerBegan(status: number): void {
    this.#record.answerBegan(status);
  }

  /** The answer is complete. */
  answered(usage: TokenCounts | undefined): void {
    this.#record.usage = usage;
    this.#finish();
  }

  /** The pod failed in the middle of its answer, and the caller was told. */
  brokeOff(failure: string): void {
    this.#record.failure = failure;
    this.#finish();
  }

  /** Answers with a problem of ours. */
  refuse(problem: Problem, failure = problem.code): void {
    if (this.ended) return;
    this.#record.failure = failure;
    this.#record.status = answerProblem(this, problem);
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
    this.#record.failure = failure;
    this.#record.status ||= 499;
    this.#record.usage = this.#running?.usageSoFar();
    this.#running?.cancel();
    this.#finish();
  }

  /** The caller keeps up again. */
  resume(): void {
    this.#running?.resume();
  }

  expire() {
    if (this.ended) return;
    this.#record.usage = this.#running?.usageSoFar();
    this.#running?.cancel();
    const problem = new DeadlineExceeded('the request took longer than its time limit');
    if (!this.hasBegun) return this.refuse(problem);
    this.#running?.breakOff(problem);
    this.brokeOff(problem.code);
  }

  /** Everything is said: count it, and leave nothing running. */
  #finish(): void {
    if (this.ended) return;
    this.#record.end();
    clearTimeout(this.#deadline);
    this.#placement?.giveUp();
    this.#payload?.dispose();
    this.#discard?.();
    const { usage } = this.#record;
    this.#allowance.settle(usage && usage.promptTokens + usage.completionTokens);
    const finished = this.#finished();
    this.context.observe(finished);
    if (this.span) endSpan(this.span, finished);
  }

  #finished(): FinishedRequest {
    const acceptedAt = this.#own?.acceptedAt ?? 0;
    const { pod, routedAt = acceptedAt, queued = 0 } = this.#placement ?? {};
    const id = acceptedAt ? '' : pod?.id;
    return this.#record.finished(this.requestId, this.endpoint.path, this.#caller.id, {
      pod: id,
      routedAt,
      queued,
    });
  }

  #logCrash(error: unknown): void {
    this.context.logger.error({ err: error, request_id: this.requestId }, 'the proxy failed');
  }

  /** What makes the answer at present. */
  get #running(): Attempt | OwnAnswer | undefined {
    return this.#own ?? this.#placement?.attempt;
  }

  /** Bots answer without a pod, in the main thread. */
  #ask(named: string, served: string, payload: Payload) {
    const { answering, mainThread } = this.context;
    const body = payload.bodyFor(served) as Buffer;
    if (answering) {
      this.#own = new OwnAnswer(this, answering, body);
      return this.#claim(named, served, payload);
    }
    this.#leave();
    const { call, requestId, surface, endpoint } = this;
    mainThread?.take(call, { path: surface.prefix + endpoint.path, body, requestId, shape: surface.shape });
  }

  /** Another thread goes on with the request, and limits and counts it. */
  #leave(): void {
    this.#record.end();
    clearTimeout(this.#deadline);
    this.#allowance.settle();
  }

  #claim(named: string, served: string, payload: Payload): void {
    const claim = { model: named, served, tokens: payload.promptTokens + payload.maxTokens };
    const entrance = this.#allowance.claim(this.surface.gate, this.#caller, claim);
    if (entrance instanceof Promise) this.#enterLater(entrance);
    else this.#enter(entrance);
  }

  #enter(entrance: Entrance) {
    const refusal = this.#allowance.take(entrance);
    if (refusal) return this.refuse(refusal);
    if (this.ended) return;
    this.#placement?.place();
    this.#own?.begin(this.#caller.caller);
  }

  #enterLater(entrance: Promise<Entrance>): void {
    entrance.then((known) => this.#enter(known)).catch((error: unknown) => this.crash(error));
  }
}

function expire(exchange: GuardedExchange): void {
  exchange.expire();
}

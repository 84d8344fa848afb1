import type { Clock } from '../../contracts/clock.ts';
import { type Choice, chooser, type Policy, type Weights } from './choose.ts';
import { recordAttempt } from './circuit-breaker.ts';
import { hasRoom, isLive } from './eligibility.ts';
import type { RoutingRequest } from './pod.ts';
import { emptyPrefixBlocks, hashPrefix } from './prefix-blocks.ts';
import type { PrefixIndex } from './prefix-index.ts';
import type { PlaceablePod, Route, Waiter } from './route.ts';
import type { Ticket } from './waiting-line.ts';

export interface SchedulerSettings {
  policy: Policy;
  weights: Weights;
  /** Index of cached prompt prefixes, shared by the workers. */
  prefixes: PrefixIndex;
  /** Maximum number of waiting requests over all models. */
  queueSize: number;
}

/** The prompt of a request: the request's bytes, and the offset at which the prompt begins. */
export interface Prompt {
  bytes: Buffer;
  start: number;
}

/** Assigns each request to a pod or queues it. */
export class Scheduler<P extends PlaceablePod> {
  readonly #choose: ReturnType<typeof chooser>;
  readonly #prefixes: PrefixIndex | undefined;
  readonly #blocks = emptyPrefixBlocks();
  readonly #request: RoutingRequest & { prefixDepths: Map<number, number> };
  readonly #queueSize: number;
  readonly #clock: Clock;
  #waiting = 0;
  #turn = 0;

  constructor(settings: SchedulerSettings, clock: Clock) {
    this.#choose = chooser(settings.policy, settings.weights);
    this.#prefixes = settings.policy === 'cache-aware' ? settings.prefixes : undefined;
    this.#request = { adapter: null, prefixDepths: new Map(), prefixBlocks: 0 };
    this.#queueSize = settings.queueSize;
    this.#clock = clock;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Chooses a pod and reserves capacity on it, to be freed with `release`. Pods in `failed` are not chosen. */
  place(route: Route<P>, prompt: Prompt | undefined, failed: readonly P[]): Choice<P> {
    this.#request.adapter = route.adapter ? route.name : null;
    this.#lookUp(route, prompt);
    const pod = this.#choose(route.pods, this.#request, { now: this.#clock.now(), except: failed });
    if (typeof pod === 'string') return pod;
    if (!pod.acquire()) return 'full';
    recordAttempt(pod.breaker);
    pod.recentWork++;
    pod.lastTurn = ++this.#turn;
    if (route.adapter) pod.useAdapter(route.name);
    if (this.#request.prefixBlocks > 0) this.#prefixes?.remember(this.#blocks, pod.cacheId);
    return pod;
  }

  /** Whether a live pod exists that has not failed this request. */
  hasOther(route: Route<P>, failed: readonly P[]): boolean {
    const now = this.#clock.now();
    return route.pods.some((pod) => isLive(pod, now) && !failed.includes(pod));
  }

  release(pod: P): void {
    pod.release();
    if (this.#waiting > 0) for (const route of pod.routes) this.wake(route);
  }

  /** Queues a request for its model; undefined if the queue is full. */
  wait(route: Route<P>, key: string, waiter: Waiter): Ticket<Waiter> | undefined {
    if (this.#waiting >= this.#queueSize) return undefined;
    this.#waiting++;
    return route.waiting.push(key, waiter);
  }

  stopWaiting(route: Route<P>, ticket: Ticket<Waiter>): void {
    if (!ticket.waiting) return;
    this.#waiting--;
    route.waiting.remove(ticket);
  }

  /** Retries as many waiting requests as the free capacity allows. */
  wake(route: Route<PlaceablePod>): void {
    const now = this.#clock.now();
    while (route.waiting.size > 0 && route.pods.some((pod) => isLive(pod, now) && hasRoom(pod))) {
      const before = route.waiting.size;
      this.#waiting--;
      route.waiting.shift()?.tryAgain();
      // The request could not be placed and is queued again; the others would fare the same.
      if (route.waiting.size >= before) return;
    }
  }

  /** Call this when pods have changed: waiting requests are retried, or fail at once if no live pod is left. */
  settle(route: Route<PlaceablePod>) {
    const now = this.#clock.now();
    if (route.pods.some((pod) => isLive(pod, now))) return this.wake(route);
    for (let left = route.waiting.size; left > 0; left--) {
      this.#waiting--;
      route.waiting.shift()?.tryAgain();
    }
  }

  #lookUp(route: Route<P>, prompt: Prompt | undefined): void {
    this.#request.prefixBlocks = 0;
    // Map.clear() allocates a new table even if the map is empty.
    if (this.#request.prefixDepths.size > 0) this.#request.prefixDepths.clear();
    // With a single pod there is no choice to make.
    if (!this.#prefixes || !prompt || route.pods.length < 2) return;
    hashPrefix(prompt.bytes, prompt.start, route.seed, this.#blocks);
    this.#request.prefixBlocks = this.#blocks.count;
    this.#prefixes.match(this.#blocks, this.#request.prefixDepths);
  }
}

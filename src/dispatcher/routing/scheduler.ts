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

/** Assigns a pod to each request, or a place in the line. */
export class Scheduler<P extends PlaceablePod> {
  readonly #choose: ReturnType<typeof chooser>;
  readonly #prefixes: PrefixIndex | undefined;
  readonly #blocks = emptyPrefixBlocks();
  readonly #request: RoutingRequest & { prefixDepths: Map<number, number> };
  readonly #queueSize: number;
  readonly #clock: Clock;
  readonly #pauses: { check(): boolean };
  #waiting = 0;
  #turn = 0;

  constructor(settings: SchedulerSettings, clock: Clock, pauses: { check(): boolean }) {
    this.#pauses = pauses;
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
    let pod = this.#choose(route.pods, this.#request, { now: this.#clock.now(), except: failed });
    if (pod === 'none' && this.#pauses.check()) {
      pod = this.#choose(route.pods, this.#request, { now: this.#clock.now(), except: failed });
    }
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

  /** Takes a request out of the line because it had its turn. */
  endWait(route: Route<P>, ticket: Ticket<Waiter>): void {
    if (!ticket.waiting) return;
    this.#waiting--;
    route.waiting.take(ticket);
  }

  /** Takes a request out of the line before its turn. */
  stopWaiting(route: Route<P>, ticket: Ticket<Waiter>): void {
    if (!ticket.waiting) return;
    this.#waiting--;
    route.waiting.remove(ticket);
  }

  /** There may be room now: requests in line get their turn while there is. */
  wake(route: Route<PlaceablePod>): void {
    const now = this.#clock.now();
    while (route.waiting.size > 0 && route.pods.some((pod) => isLive(pod, now) && hasRoom(pod))) {
      if (!this.#wakeOne(route)) return;
    }
  }

  #wakeOne(route: Route<PlaceablePod>): boolean {
    for (const { item } of route.waiting.inTurn()) {
      if (item.tryAgain()) return true;
      // Where one can't be placed that takes any pod, none of the others can.
      if (!item.isChoosy) return false;
    }
    return false;
  }

  /** The pods have changed: requests in line get their turn, or are refused at once if no pod is live. */
  settle(route: Route<PlaceablePod>) {
    const now = this.#clock.now();
    // A model that no pod has at present may come back before its requests have waited too long.
    if (route.pods.length === 0) return;
    if (route.pods.some((pod) => isLive(pod, now))) return this.wake(route);
    for (const { item } of [...route.waiting.inTurn()]) item.tryAgain();
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

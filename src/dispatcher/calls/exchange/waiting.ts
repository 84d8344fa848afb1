import type { RoutedPod } from '../../pods/routed-pod.ts';
import type { Route, Waiter } from '../../routing/route.ts';
import type { Ticket } from '../../routing/waiting-line.ts';
import type { ProxyContext } from './context.ts';
import type { GuardedExchange } from './guarded-exchange.ts';

/** A request's time in the line for a pod with room. */
export class Waiting {
  readonly #context: ProxyContext;
  readonly #route: Route<RoutedPod>;
  readonly #ticket: Ticket<Waiter>;
  readonly #waiter: GuardedExchange;
  readonly #since = performance.now();
  #patience: NodeJS.Timeout;
  /** The total of all pauses of the process when it began to wait. */
  #pausedBefore: number;

  constructor(
    context: ProxyContext,
    route: Route<RoutedPod>,
    ticket: Ticket<Waiter>,
    waiter: GuardedExchange,
    milliseconds: number,
  ) {
    this.#context = context;
    this.#route = route;
    this.#ticket = ticket;
    this.#waiter = waiter;
    this.#pausedBefore = context.pauses.total;
    this.#patience = setTimeout(losePatience, milliseconds, waiter);
  }

  /** The time is up. Returns false if this process was paused in the meantime: then the wait goes on for as long. */
  isOver(): boolean {
    const { pauses } = this.#context;
    pauses.check();
    const paused = pauses.total - this.#pausedBefore;
    if (paused === 0) return true;
    this.#pausedBefore = pauses.total;
    this.#patience = setTimeout(losePatience, paused, this.#waiter);
    return false;
  }

  /** It had its turn. Returns how long it has waited. */
  end(): number {
    this.#context.scheduler.endWait(this.#route, this.#ticket);
    return this.#stop();
  }

  /** Leaves the line before its turn. Returns how long it has waited. */
  giveUp(): number {
    this.#context.scheduler.stopWaiting(this.#route, this.#ticket);
    return this.#stop();
  }

  #stop(): number {
    clearTimeout(this.#patience);
    return performance.now() - this.#since;
  }
}

function losePatience(exchange: GuardedExchange): void {
  exchange.losePatience();
}

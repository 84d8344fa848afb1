import type { Problem } from '../../../contracts/problems.ts';
import type { RoutedPod } from '../../pods/routed-pod.ts';
import type { Route } from '../../routing/route.ts';
import { Attempt } from '../answering/attempt.ts';
import type { Payload } from '../reading/payload.ts';
import type { Exchange } from './exchange.ts';
import { busy, noPod } from './refusals.ts';
import { Waiting } from './waiting.ts';

const nobody: readonly RoutedPod[] = [];

/** Brings a request to a pod: at once, after waiting in line, or to another one after a failure. */
export class Placement {
  readonly #exchange: Exchange;
  readonly #route: Route<RoutedPod>;
  readonly #payload: Payload;
  #failed = nobody;
  /** Whether a connection was lost after this request was sent on it. */
  #wasLost = false;
  /** The pod that was sent the request twice, because the first connection seemed to be stale. */
  #repeatedOn: RoutedPod | undefined;
  #waiting: Waiting | undefined;
  #attempt: Attempt | undefined;
  #pod: RoutedPod | undefined;
  #routedAt = 0;
  #queued = 0;

  constructor(exchange: Exchange, route: Route<RoutedPod>, payload: Payload) {
    this.#exchange = exchange;
    this.#route = route;
    this.#payload = payload;
  }

  /** The pod that was asked last. */
  get pod(): RoutedPod | undefined {
    return this.#pod;
  }

  get attempt(): Attempt | undefined {
    return this.#attempt;
  }

  /** When it was first sent, in milliseconds of `performance.now()`; 0 if it was not. */
  get routedAt(): number {
    return this.#routedAt;
  }

  /** Time spent in the line. */
  get queued(): number {
    return this.#queued;
  }

  /** Whether some pods have failed this request already. */
  get isChoosy(): boolean {
    return this.#failed.length > 0;
  }

  get repeatedOn(): RoutedPod | undefined {
    return this.#repeatedOn;
  }

  /** Chooses a pod and sends the request, or waits for one. */
  place() {
    const { context, model } = this.#exchange;
    const pod = context.scheduler.place(this.#route, this.#payload.prompt, this.#failed);
    if (pod === 'none') return this.#exchange.refuse(noPod(model));
    if (pod === 'full') return this.#wait();
    // On a new connection it is certain whether the pod received the request.
    this.#send(pod, this.#wasLost);
  }

  /** Takes its turn in the line. Returns false if there is no room for it. */
  tryAgain(): boolean {
    if (!this.#waiting) return true;
    const { context, model } = this.#exchange;
    const pod = context.scheduler.place(this.#route, this.#payload.prompt, this.#failed);
    if (pod === 'full') return false;
    this.#queued += this.#waiting.end();
    this.#waiting = undefined;
    if (pod === 'none') this.#exchange.refuse(noPod(model));
    else this.#send(pod, this.#wasLost);
    return true;
  }

  /** It has waited for as long as it may. */
  losePatience(): void {
    if (!this.#waiting?.isOver()) return;
    this.#exchange.refuse(busy('no pod of this model became free in time'), 'queue_timeout');
  }

  /** Leaves the line, where the request is still in it. */
  giveUp(): void {
    if (!this.#waiting) return;
    this.#queued += this.#waiting.giveUp();
    this.#waiting = undefined;
  }

  /** Whether an attempt that failed before its first byte may be made elsewhere. */
  canMove(from: RoutedPod): boolean {
    const { context, ended } = this.#exchange;
    if (ended || !this.#payload.canSend()) return false;
    if (this.#failed.length + 1 >= context.settings.attempts) return false;
    return context.scheduler.hasOther(this.#route, [...this.#failed, from]);
  }

  /** The pod died under the request, or seems to have. The request may be the cause, so only one other pod gets it. */
  moveAfterLoss(from: RoutedPod, problem: Problem, failure: string) {
    if (this.#wasLost) return this.#exchange.refuse(problem, failure);
    this.#wasLost = true;
    this.move(from, problem, failure);
  }

  /** The pod could not serve the request: another one is asked, without the caller noticing. */
  move(from: RoutedPod, problem: Problem, failure: string) {
    if (!this.canMove(from)) return this.#exchange.refuse(problem, failure);
    this.#failed = [...this.#failed, from];
    this.#exchange.moved(failure);
    this.place();
  }

  /** Sends the request to the same pod on a new connection. */
  repeat(pod: RoutedPod): void {
    this.#repeatedOn = pod;
    this.#send(pod, true);
  }

  #send(pod: RoutedPod, onNewConnection: boolean): void {
    this.#pod = pod;
    this.#routedAt ||= performance.now();
    this.#attempt = new Attempt(this.#exchange, this, pod);
    this.#attempt.begin(onNewConnection);
  }

  #wait() {
    const { context, guarded, callerId } = this.#exchange;
    const ticket = context.scheduler.wait(this.#route, callerId, guarded);
    if (!ticket) return this.#exchange.refuse(busy('the queue for this model is full'), 'queue_full');
    // A request that waits for a second time has only the rest of its time.
    const left = Math.max(0, context.settings.queue_timeout - this.#queued);
    this.#waiting = new Waiting(context, this.#route, ticket, guarded, left);
  }
}

import type { Problem } from '../../../contracts/problems.ts';
import type { Waiter } from '../../routing/route.ts';
import type { CallOwner } from '../../wire/call.ts';
import type { Exchange } from './exchange.ts';

/**
 * Sockets, timers and the scheduler reach a request only through this, and an attempt on a pod only through
 * `GuardedAttempt`. They call from event handlers, where an error would end the process: here it ends the one request.
 */
export class GuardedExchange implements CallOwner, Waiter {
  readonly #exchange: Exchange;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  /** For what is not one of the events below. */
  run(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#exchange.crash(error);
    }
  }

  receive(body: Buffer): void {
    try {
      this.#exchange.receive(body);
    } catch (error) {
      this.#exchange.crash(error);
    }
  }

  refuse(problem: Problem, failure?: string): void {
    try {
      this.#exchange.refuse(problem, failure);
    } catch (error) {
      this.#exchange.crash(error);
    }
  }

  abandon(): void {
    try {
      this.#exchange.abandon();
    } catch (error) {
      this.#exchange.crash(error);
    }
  }

  resume(): void {
    try {
      this.#exchange.resume();
    } catch (error) {
      this.#exchange.crash(error);
    }
  }

  expire(): void {
    try {
      this.#exchange.expire();
    } catch (error) {
      this.#exchange.crash(error);
    }
  }

  losePatience(): void {
    try {
      this.#exchange.placement?.losePatience();
    } catch (error) {
      this.#exchange.crash(error);
    }
  }

  get isChoosy(): boolean {
    return this.#exchange.placement?.isChoosy ?? false;
  }

  tryAgain(): boolean {
    try {
      return this.#exchange.placement?.tryAgain() ?? true;
    } catch (error) {
      this.#exchange.crash(error);
      return true;
    }
  }
}

import type { Problem } from '../../contracts/problems.ts';
import type { HeaderPairs } from '../../platform/wire/head.ts';
import type { Piece } from '../../platform/wire/piece.ts';
import type { Waiter } from '../routing/route.ts';
import type { CallOwner } from '../wire/call.ts';
import type { CallListener } from '../wire/pod-connection.ts';
import type { Attempt } from './attempt.ts';
import type { Exchange } from './exchange.ts';

/**
 * Sockets, timers and the scheduler reach a request only through these two. They call from event handlers, where an
 * error would end the process: here it ends the one request.
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

/** The same for one try on a pod. */
export class GuardedAttempt implements CallListener {
  readonly #attempt: Attempt;
  readonly #exchange: Exchange;

  constructor(attempt: Attempt, exchange: Exchange) {
    this.#attempt = attempt;
    this.#exchange = exchange;
  }

  onHead(status: number, headers: HeaderPairs): void {
    try {
      this.#attempt.onHead(status, headers);
    } catch (error) {
      this.#exchange.crash(error);
    }
  }

  onBody(piece: Piece): void {
    try {
      this.#attempt.onBody(piece);
    } catch (error) {
      this.#exchange.crash(error);
    }
  }

  onPause(): boolean {
    try {
      return this.#attempt.onPause();
    } catch (error) {
      this.#exchange.crash(error);
      return true;
    }
  }

  onEnd(): void {
    try {
      this.#attempt.onEnd();
    } catch (error) {
      this.#exchange.crash(error);
    }
  }

  onFailure(why: string): void {
    try {
      this.#attempt.onFailure(why);
    } catch (error) {
      this.#exchange.crash(error);
    }
  }

  checkSilence(now: number): void {
    try {
      this.#attempt.checkSilence(now);
    } catch (error) {
      this.#exchange.crash(error);
    }
  }
}

import type { HeaderPairs } from '../../../platform/wire/head.ts';
import type { Piece } from '../../../platform/wire/piece.ts';
import type { CallListener } from '../../wire/pod-connection.ts';
import type { AnsweredRequest } from './answered-request.ts';
import type { Attempt } from './attempt.ts';

/** Sockets and timers reach an attempt only through this: an error there ends the one request, not the process. */
export class GuardedAttempt implements CallListener {
  readonly #attempt: Attempt;
  readonly #request: AnsweredRequest;

  constructor(attempt: Attempt, request: AnsweredRequest) {
    this.#attempt = attempt;
    this.#request = request;
  }

  onHead(status: number, headers: HeaderPairs): void {
    try {
      this.#attempt.onHead(status, headers);
    } catch (error) {
      this.#request.crash(error);
    }
  }

  onBody(piece: Piece): void {
    try {
      this.#attempt.onBody(piece);
    } catch (error) {
      this.#request.crash(error);
    }
  }

  onPause(): boolean {
    try {
      return this.#attempt.onPause();
    } catch (error) {
      this.#request.crash(error);
      return true;
    }
  }

  onEnd(): void {
    try {
      this.#attempt.onEnd();
    } catch (error) {
      this.#request.crash(error);
    }
  }

  onFailure(why: string): void {
    try {
      this.#attempt.onFailure(why);
    } catch (error) {
      this.#request.crash(error);
    }
  }

  checkSilence(now: number): void {
    try {
      this.#attempt.checkSilence(now);
    } catch (error) {
      this.#request.crash(error);
    }
  }
}

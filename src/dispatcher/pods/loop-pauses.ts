/** A delay of a timer that is not ordinary load. */
const shortestPause = 1000;

/**
 * Notices when the process did not run for a while: stopped, suspended, or starved of CPU time. In that time it could
 * neither receive reports nor serve, so it must not count against pods and callers.
 */
export class LoopPauses {
  readonly #every: number;
  readonly #onPause: () => void;
  #lastCheck = performance.now();
  #total = 0;

  /** `check` has to be called at least once in `every` milliseconds. */
  constructor(every: number, onPause: () => void) {
    this.#every = every;
    this.#onPause = onPause;
  }

  /** Milliseconds of all pauses that were noticed. */
  get total(): number {
    return this.#total;
  }

  /** Returns whether there was a pause since the last check. */
  check(): boolean {
    const now = performance.now();
    const pause = now - this.#lastCheck - this.#every;
    this.#lastCheck = now;
    if (pause < shortestPause) return false;
    this.#total += pause;
    this.#onPause();
    return true;
  }
}

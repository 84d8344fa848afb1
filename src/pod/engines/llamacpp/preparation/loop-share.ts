/** Maximum milliseconds of work per turn of the event loop. */
const share = 10;

/**
 * Splits long work on the main thread into pieces. Each piece waits for a slot first, so that connections are served
 * in between, however many requests are being processed.
 */
export class LoopShare {
  #until = 0;
  #turn: Promise<void> | undefined;

  async slot(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    while (this.#turn && performance.now() >= this.#until) await this.#turn;
    signal?.throwIfAborted();
    this.#turn ??= this.#nextTurn();
  }

  #nextTurn(): Promise<void> {
    this.#until = performance.now() + share;
    return new Promise((resolve) => {
      setImmediate(() => {
        this.#turn = undefined;
        resolve();
      });
    });
  }
}

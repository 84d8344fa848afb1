/** Milliseconds of work between two turns of the event loop. */
const share = 10;

/**
 * Divides long work on the main thread into pieces: whoever is about to do one waits here for its turn, and
 * connections are served in between, however many work at the same time.
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

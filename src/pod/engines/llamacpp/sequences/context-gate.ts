/**
 * Lets the evaluations of one context go in steps: whoever is ready starts together and lands in one batch, and the
 * next step begins when all have their results. Left to itself the library starts the next batch a moment before
 * the last of them is ready again, and goes on for as long as one is queued: work on its sequences (cutting,
 * copying) would wait until every answer is done. Here it runs alone, between two steps.
 */
export class ContextGate {
  readonly #alone: (() => Promise<void>)[] = [];
  #evaluating = 0;
  #ready = 0;
  #step: PromiseWithResolvers<void> | undefined;
  #opening = false;

  async evaluation<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#ready++;
    this.#step ??= Promise.withResolvers<void>();
    const { promise } = this.#step;
    this.#advance();
    await promise;
    try {
      return await work();
    } finally {
      this.#evaluating--;
      this.#advance();
    }
  }

  async alone<Result>(work: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#alone.push(() => work().then(resolve, reject));
      this.#advance();
    });
  }

  /** A turn of the event loop later, so that those whose results came last can be ready too. */
  #advance(): void {
    if (this.#evaluating > 0 || this.#opening) return;
    this.#opening = true;
    setImmediate(() => void this.#open());
  }

  async #open(): Promise<void> {
    for (let work = this.#alone.shift(); work; work = this.#alone.shift()) await work();
    this.#opening = false;
    this.#evaluating = this.#ready;
    this.#ready = 0;
    const step = this.#step;
    this.#step = undefined;
    step?.resolve();
  }
}

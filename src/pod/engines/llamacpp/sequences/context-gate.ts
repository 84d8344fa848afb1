/**
 * Lets evaluations of one context run side by side, and work on its sequences (cutting, copying) run alone between
 * two of their steps. The library batches evaluations for as long as one is queued: without a gate that holds the
 * next ones back, such work would wait until every answer is done.
 */
export class ContextGate {
  #evaluating = 0;
  #closed: Promise<void> | undefined;
  #whenQuiet: (() => void) | undefined;

  async evaluation<Result>(work: () => Promise<Result>): Promise<Result> {
    while (this.#closed) await this.#closed;
    this.#evaluating++;
    try {
      return await work();
    } finally {
      this.#evaluating--;
      if (this.#evaluating === 0) this.#whenQuiet?.();
    }
  }

  async alone<Result>(work: () => Promise<Result>): Promise<Result> {
    while (this.#closed) await this.#closed;
    const { promise, resolve: open } = Promise.withResolvers<void>();
    this.#closed = promise;
    try {
      if (this.#evaluating > 0)
        await new Promise<void>((resolve) => {
          this.#whenQuiet = resolve;
        });
      return await work();
    } finally {
      this.#whenQuiet = undefined;
      this.#closed = undefined;
      open();
    }
  }
}

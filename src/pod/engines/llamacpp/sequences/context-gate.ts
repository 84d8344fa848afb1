interface Evaluation {
  /** The sequence's number in its context. */
  number: number;
  start(): Promise<void>;
}

/**
 * Runs the evaluations of one context in steps. All that are ready start together, in one batch; the next step begins
 * when all have their results. Left alone, the library starts the next batch just before the last sequence is ready,
 * and holds its lock while a batch is queued, so that truncating or copying a sequence would wait until every answer
 * is done. Here such work runs alone, between two steps.
 */
export class ContextGate {
  readonly #alone: (() => Promise<void>)[] = [];
  #ready: Evaluation[] = [];
  #evaluating = 0;
  #opening = false;

  /** `work` is called when the step starts, and must queue its tokens before its first await. */
  evaluation<Result>(number: number, work: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#ready.push({ number, start: () => work().then(resolve, reject) });
      this.#advance();
    });
  }

  async alone<Result>(work: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#alone.push(() => work().then(resolve, reject));
      this.#advance();
    });
  }

  /** Waits one turn of the event loop, so that the sequences that finished last can join the step. */
  #advance(): void {
    if (this.#evaluating > 0 || this.#opening) return;
    this.#opening = true;
    setImmediate(() => void this.#open());
  }

  /**
   * llama.cpp batches sequences only while their numbers are consecutive and ascending. Otherwise it splits the
   * batch, and each part reads all weights again.
   */
  async #open(): Promise<void> {
    for (let work = this.#alone.shift(); work; work = this.#alone.shift()) await work();
    this.#opening = false;
    const step = this.#ready.sort((a, b) => a.number - b.number);
    this.#ready = [];
    this.#evaluating = step.length;
    for (const { start } of step) void start().then(() => this.#ended());
  }

  #ended(): void {
    this.#evaluating--;
    this.#advance();
  }
}

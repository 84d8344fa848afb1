interface Evaluation {
  /** The sequence's number in its context. */
  number: number;
  start(): Promise<void>;
}

/**
 * Runs the evaluations of one context in steps. All that are ready start together and land in one batch; the next
 * step begins when all of them have their results. On its own, the library starts the next batch just before the
 * last sequence is ready again, and keeps its lock for as long as one is queued, so that cutting or copying a
 * sequence would wait until every answer is done. Here such work runs alone, between two steps.
 */
export class ContextGate {
  readonly #alone: (() => Promise<void>)[] = [];
  #ready: Evaluation[] = [];
  #evaluating = 0;
  #opening = false;

  /** `work` is called when the step opens, and must queue its tokens before it first waits for anything. */
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

  /** Waits for one turn of the event loop, so that the sequences whose results came last can join the step. */
  #advance(): void {
    if (this.#evaluating > 0 || this.#opening) return;
    this.#opening = true;
    setImmediate(() => void this.#open());
  }

  /**
   * llama.cpp computes sequences together only while their numbers ascend without a gap. In any other order it cuts
   * the batch, and each piece reads all the weights again.
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

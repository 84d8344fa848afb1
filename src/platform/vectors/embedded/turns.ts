/** Runs tasks of one name one after another. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  async run<Result>(name: string, task: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(name);
    const turn = (before ?? Promise.resolve()).then(task, task);
    this.#last.set(name, turn);
    try {
      return await turn;
    } finally {
      if (this.#last.get(name) === turn) this.#last.delete(name);
    }
  }

  isBusy(name: string): boolean {
    return this.#last.has(name);
  }

  /** Resolves when the tasks that are waiting now have ended. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.#last.values());
  }
}

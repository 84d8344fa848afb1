/** Gives out waiting jobs in turns between their owners, so that a request with many files does not hold up the others. */
export class FairQueue<Job> {
  readonly #waiting = new Map<unknown, Job[]>();

  push(owner: unknown, job: Job): void {
    const jobs = this.#waiting.get(owner);
    if (jobs) jobs.push(job);
    else this.#waiting.set(owner, [job]);
  }

  shift(): Job | undefined {
    for (const [owner, jobs] of this.#waiting) {
      const job = jobs.shift();
      // The owner goes to the end of the line.
      this.#waiting.delete(owner);
      if (jobs.length > 0) this.#waiting.set(owner, jobs);
      return job;
    }
    return undefined;
  }

  remove(owner: unknown, job: Job): void {
    const jobs = (this.#waiting.get(owner) ?? []).filter((it) => it !== job);
    if (jobs.length > 0) this.#waiting.set(owner, jobs);
    else this.#waiting.delete(owner);
  }
}

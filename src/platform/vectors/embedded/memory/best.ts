export interface Scored {
  slot: number;
  score: number;
}

/** Keeps the best of the points that it is offered. Equal scores are ordered by slot. */
export class Best {
  readonly #limit: number;
  #kept: Scored[] = [];
  /** A score that is not better than this can't be among the best. */
  #threshold = Number.NEGATIVE_INFINITY;

  constructor(limit: number) {
    this.#limit = limit;
  }

  offer(slot: number, score: number): void {
    if (score <= this.#threshold || this.#limit === 0) return;
    this.#kept.push({ slot, score });
    if (this.#kept.length >= 2 * this.#limit + 64) this.#cut();
  }

  /** The best, in descending order. */
  take(): Scored[] {
    this.#cut();
    return this.#kept;
  }

  #cut(): void {
    this.#kept.sort((one, other) => other.score - one.score || one.slot - other.slot);
    if (this.#kept.length < this.#limit) return;
    this.#kept.length = this.#limit;
    // Slots are offered in ascending order, so of equal scores the kept ones are the right ones.
    this.#threshold = this.#kept.at(-1)?.score ?? this.#threshold;
  }
}

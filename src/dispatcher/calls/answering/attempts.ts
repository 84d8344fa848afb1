import type { GuardedAttempt } from './guarded-attempt.ts';

/**
 * The attempts that are under way. Places in one array are used again and again: a Set that grows and shrinks with every
 * request leaves tables behind which, once old, keep whole requests in memory until a full collection.
 */
export class Attempts {
  readonly #places: (GuardedAttempt | undefined)[] = [];
  readonly #free: number[] = [];

  /** Returns the place, to be given back. */
  add(attempt: GuardedAttempt): number {
    const place = this.#free.pop() ?? this.#places.length;
    this.#places[place] = attempt;
    return place;
  }

  remove(place: number): void {
    this.#places[place] = undefined;
    this.#free.push(place);
  }

  *[Symbol.iterator](): Generator<GuardedAttempt> {
    for (const attempt of this.#places) if (attempt) yield attempt;
  }
}

import { type Problem, Unavailable } from '../../contracts/problems.ts';

const retryAfter = 2;

/** Bounds the memory that request bodies take, over all requests of a thread. */
export class BodyMemory {
  readonly #limit: number;
  #held = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get held(): number {
    return this.#held;
  }

  /** Returns false if there is no room for so many more bytes. */
  take(bytes: number): boolean {
    if (this.#held + bytes > this.#limit) return false;
    this.#held += bytes;
    return true;
  }

  give(bytes: number): void {
    this.#held -= bytes;
  }
}

export function bodiesTooLarge(): Problem {
  return new Unavailable('the bodies of all requests together take too much memory at present', {
    code: 'overloaded',
    retryAfter,
  });
}

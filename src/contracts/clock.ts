/** The time as a dependency, so that tests can control it. */
export interface Clock {
  /** Milliseconds since 1970, unless the clock says otherwise. */
  now(): number;
}

/** For ages and time limits inside one process: it never goes back, and means nothing to another process. */
export const monotonicClock: Clock = { now: () => performance.now() };

export const systemClock: Clock = { now: () => Date.now() };

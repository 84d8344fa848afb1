export interface RestartPolicy {
  /** Milliseconds before the first restart; doubled with each failure that follows. */
  first: number;
  longest: number;
  /** A pod that ran for so long has recovered: its failures are forgotten. */
  stableAfter: number;
  /** From so many failures in a row on, the pod counts as crash-looping. */
  loopAfter: number;
}

export const defaultRestartPolicy: RestartPolicy = {
  first: 1_000,
  longest: 60_000,
  stableAfter: 60_000,
  loopAfter: 5,
};

export interface RestartDecision {
  failures: number;
  delay: number;
  looping: boolean;
}

/** What to do about a pod that ended by itself after `ranFor` ms, having failed `failures` times in a row before. */
export function decideRestart(policy: RestartPolicy, failures: number, ranFor: number): RestartDecision {
  const inARow = ranFor >= policy.stableAfter ? 1 : failures + 1;
  const delay = Math.min(policy.longest, policy.first * 2 ** Math.min(inARow - 1, 30));
  return { failures: inARow, delay, looping: inARow >= policy.loopAfter };
}

export interface RestartPolicy {
  /** Milliseconds before the first restart; doubled with each further failure. */
  first: number;
  longest: number;
  /** Milliseconds of running after which the failure count is reset. */
  stableAfter: number;
  /** Consecutive failures after which the pod counts as crash-looping. */
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

/** Decides on the restart of a pod that exited after `ranFor` ms, with `failures` consecutive failures before. */
export function decideRestart(policy: RestartPolicy, failures: number, ranFor: number): RestartDecision {
  const consecutive = ranFor >= policy.stableAfter ? 1 : failures + 1;
  const delay = Math.min(policy.longest, policy.first * 2 ** Math.min(consecutive - 1, 30));
  return { failures: consecutive, delay, looping: consecutive >= policy.loopAfter };
}

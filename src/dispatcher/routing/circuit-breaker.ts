/** Keeps requests away from a pod that keeps failing, and lets one through now and then to see if it is back. */
export interface Breaker {
  failuresInARow: number;
  /** Until when nothing is sent; 0 while closed. */
  openUntil: number;
  /** How often it opened since the last success: each time it stays open longer. */
  openings: number;
  /** A request is out to see whether the pod works again. */
  onTrial: boolean;
}

export interface BreakerSettings {
  /** Failures in a row that open it. */
  failures: number;
  /** How long it stays open the first time, in milliseconds; doubled at each next one. */
  cooldown: number;
}

const longestCooldown = 60_000;

export function closedBreaker(): Breaker {
  return { failuresInARow: 0, openUntil: 0, openings: 0, onTrial: false };
}

export function admits(breaker: Readonly<Breaker>, now: number): boolean {
  return breaker.openUntil === 0 || (now >= breaker.openUntil && !breaker.onTrial);
}

/** To be called when a request is sent: an open breaker that has cooled down is then on trial. */
export function recordAttempt(breaker: Breaker): void {
  if (breaker.openUntil !== 0) breaker.onTrial = true;
}

export function recordSuccess(breaker: Breaker): void {
  if (breaker.failuresInARow === 0 && breaker.openUntil === 0) return;
  Object.assign(breaker, closedBreaker());
}

export function recordFailure(breaker: Breaker, now: number, settings: BreakerSettings): void {
  breaker.failuresInARow++;
  const failedTrial = breaker.onTrial;
  breaker.onTrial = false;
  if (!failedTrial && breaker.failuresInARow < settings.failures) return;
  breaker.openUntil = now + Math.min(longestCooldown, settings.cooldown * 2 ** breaker.openings);
  breaker.openings++;
}

/** The request that was out on trial ended without telling anything, such as by the client leaving. */
export function recordNothing(breaker: Breaker): void {
  breaker.onTrial = false;
}

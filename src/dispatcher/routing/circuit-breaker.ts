/**
 * Stops sending requests to a pod that keeps failing, and lets one through occasionally to see if it has recovered.
 */
export interface Breaker {
  failuresInARow: number;
  /** When the next request may be sent; 0 while closed. */
  openUntil: number;
  /** Number of times it has opened since the last success. Each time it stays open longer. */
  openings: number;
  /** Whether a trial request is running that shows if the pod works again. */
  onTrial: boolean;
}

export interface BreakerSettings {
  /** Number of consecutive failures that open it. */
  failures: number;
  /** How long it stays open the first time, in milliseconds; doubles each time. */
  cooldown: number;
}

const maxCooldown = 60_000;

export function closedBreaker(): Breaker {
  return { failuresInARow: 0, openUntil: 0, openings: 0, onTrial: false };
}

export function admits(breaker: Readonly<Breaker>, now: number): boolean {
  return breaker.openUntil === 0 || (now >= breaker.openUntil && !breaker.onTrial);
}

/** Call this when a request is sent: the first request after the cooldown is a trial. */
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
  breaker.openUntil = now + Math.min(maxCooldown, settings.cooldown * 2 ** breaker.openings);
  breaker.openings++;
}

/** The trial request ended without a result, for example because the client disconnected. */
export function recordNothing(breaker: Breaker): void {
  breaker.onTrial = false;
}

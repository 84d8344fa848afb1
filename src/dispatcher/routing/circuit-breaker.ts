/** Keeps requests away from a pod that keeps failing, and lets one through now and then to see if it has recovered. */
export interface Breaker {
  failuresInARow: number;
  /** When the next request may be sent; 0 while closed. */
  openUntil: number;
  /** Number of openings since the last success. Each pause is longer than the one before. */
  openings: number;
  /** Whether a request is under way that shows whether the pod works again. */
  onTrial: boolean;
  /** Changes when the breaker opens or closes. The failures of requests from an earlier generation don't count. */
  generation: number;
}

export interface BreakerSettings {
  /** Consecutive failures that open it. */
  failures: number;
  /** Length of the first pause in milliseconds; doubled with each further one. */
  cooldown: number;
}

const maxCooldown = 60_000;

export function closedBreaker(): Breaker {
  return { failuresInARow: 0, openUntil: 0, openings: 0, onTrial: false, generation: 0 };
}

export function admits(breaker: Readonly<Breaker>, now: number): boolean {
  return breaker.openUntil === 0 || (now >= breaker.openUntil && !breaker.onTrial);
}

/** To be called when a request is sent. If the breaker is open, that request is its trial. */
export function recordAttempt(breaker: Breaker): void {
  if (breaker.openUntil !== 0) breaker.onTrial = true;
}

export function recordSuccess(breaker: Breaker): void {
  if (breaker.failuresInARow === 0 && breaker.openUntil === 0) return;
  if (breaker.openUntil !== 0) breaker.generation++;
  breaker.failuresInARow = 0;
  breaker.openUntil = 0;
  breaker.openings = 0;
  breaker.onTrial = false;
}

/** `generation` is the breaker's generation when the request was sent. */
export function recordFailure(
  breaker: Breaker,
  generation: number,
  now: number,
  settings: BreakerSettings,
): void {
  // Requests that run at the same time fail together: they are one event, not many.
  if (generation !== breaker.generation) return;
  breaker.failuresInARow++;
  const failedTrial = breaker.onTrial;
  breaker.onTrial = false;
  if (!failedTrial && breaker.failuresInARow < settings.failures) return;
  breaker.openUntil = now + Math.min(maxCooldown, settings.cooldown * 2 ** breaker.openings);
  breaker.openings++;
  breaker.generation++;
}

/** A request ended without showing anything, for example because its caller left. */
export function recordNothing(breaker: Breaker, generation: number): void {
  if (generation === breaker.generation) breaker.onTrial = false;
}

export interface RateLimit {
  /** Requests per second in the long run. */
  perSecond: number;
  /** Requests that may come at once. */
  burst: number;
}

/** A bucket that fills steadily. Returns the seconds to wait, or undefined where the request may pass. */
export function createRateLimit({ perSecond, burst }: RateLimit): () => number | undefined {
  let tokens = burst;
  let at = performance.now();
  return () => {
    const now = performance.now();
    tokens = Math.min(burst, tokens + ((now - at) / 1000) * perSecond);
    at = now;
    if (tokens < 1) return Math.max(1, Math.ceil((1 - tokens) / perSecond));
    tokens--;
    return undefined;
  };
}

/**
 * In whose name a call is made: with the Authorization header of the platform's own caller, as it came, so that their
 * limits apply; or with the platform's own key.
 */
export type Credentials = 'platform' | { authorization: string | undefined };

export interface CallOptions {
  credentials: Credentials;
  signal: AbortSignal;
  /** Under which the dispatcher logs the call. */
  requestId?: string | undefined;
  /** How long the dispatcher may work on the call, in milliseconds. */
  timeout?: number | undefined;
  /** How often a call that failed before its first byte is made again, at most. */
  retries?: number | undefined;
  /**
   * For how many milliseconds, in all, to wait for a server that is unavailable or refuses for now. These waits don't
   * count as retries.
   */
  patience?: number | undefined;
}

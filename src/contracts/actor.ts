/**
 * Who performs an action: the holder of a key, a caller without one (in open mode), or the platform itself.
 * `requestId` is the HTTP request that asked for it.
 */
export type Actor =
  | { kind: 'key'; id: string; name: string; owner: string | null; requestId: string | null }
  | { kind: 'anonymous'; requestId: string | null }
  | { kind: 'platform'; reason: string };

/** The platform acting on its own; `reason` is one or two words, such as `starter` or `command line`. */
export const platformActor = (reason: string): Actor => ({ kind: 'platform', reason });

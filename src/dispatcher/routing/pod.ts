import type { Breaker } from './circuit-breaker.ts';

/** A pod as the policies see it. They only read it; the registry and the proxy keep it up to date. */
export interface SchedulablePod {
  readonly id: string;
  /** Identifies the pod's current cache in the prefix index; changes when the pod restarts. */
  readonly cacheId: number;
  readonly task: string;
  /** When its last report expires, in milliseconds of the clock; 0 once it is dead. */
  readonly expiresAt: number;
  /** Number of our requests that it is processing. */
  readonly inFlight: number;
  /** Number of requests that it reports to be processing, from any sender. */
  readonly reportedRunning: number;
  /** Maximum number of concurrent requests. */
  readonly maxConnections: number;
  /** The most recently used adapters, which its engine probably has in memory. */
  readonly recentAdapters: readonly string[];
  /** Number of recent requests, with older ones weighted less. */
  readonly recentWork: number;
  /** Sequence number of the last time it was chosen. */
  readonly lastTurn: number;
  readonly breaker: Readonly<Breaker>;
}

/** A request as the policies see it. */
export interface RoutingRequest {
  /** The requested adapter, or null for a base model. */
  adapter: string | null;
  /** Number of leading prompt blocks that each cache holds, by cache id. */
  prefixDepths: ReadonlyMap<number, number>;
  /** Number of blocks in the prompt. */
  prefixBlocks: number;
}

/** Averages over all candidates, for scorers that compare a pod with the others. */
export interface Fleet {
  meanInFlight: number;
  meanWork: number;
}

/** How well a pod suits a request, from 0 (not at all) to 1 (perfectly). */
export type Scorer = (request: RoutingRequest, pod: SchedulablePod, fleet: Fleet) => number;

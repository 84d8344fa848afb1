import type { Breaker } from './circuit-breaker.ts';

/** What the policies know of a pod. They read it; the registry and the proxy keep it up to date. */
export interface SchedulablePod {
  readonly id: string;
  /** Names the pod's present cache in the prefix index; a restarted pod gets another one. */
  readonly cacheId: number;
  readonly task: string;
  /** When its last report stops counting (milliseconds of the clock); 0 once it is dead. */
  readonly expiresAt: number;
  /** Requests of ours that it is working on. */
  readonly inFlight: number;
  /** Requests that it says it is working on, whoever sent them. */
  readonly reportedRunning: number;
  /** How many requests may run on it at once. */
  readonly maxConnections: number;
  /** The adapters used last, which its engine is likely to hold in memory. */
  readonly recentAdapters: readonly string[];
  /** Requests it was given lately, old ones counting less. */
  readonly recentWork: number;
  /** The number of the choice that last fell on it. */
  readonly lastTurn: number;
  readonly breaker: Readonly<Breaker>;
}

/** What the policies know of a request. */
export interface RoutingRequest {
  /** The adapter that was asked for, or null for a base model. */
  adapter: string | null;
  /** How many blocks of the prompt's beginning each cache holds, by its id. */
  prefixDepths: ReadonlyMap<number, number>;
  /** How many blocks the prompt has. */
  prefixBlocks: number;
}

/** The candidates as a whole, so that a scorer can tell much from little. */
export interface Fleet {
  meanInFlight: number;
  meanWork: number;
}

/** How well a pod suits a request: 0 is not at all, 1 is perfectly. */
export type Scorer = (request: RoutingRequest, pod: SchedulablePod, fleet: Fleet) => number;

import type { TokenCounts } from '../../../contracts/openai/read-usage.ts';

/** A request that is over, as observers see it: made once, frozen, and tied to nothing that still runs. */
export interface FinishedRequest {
  readonly requestId: string;
  readonly path: string;
  /** The served name; empty where the body was never understood. */
  readonly model: string;
  /** The key's id, or a word for callers without one. */
  readonly key: string;
  /** The pod that was asked last; empty for a bot; undefined where nothing was asked. */
  readonly pod: string | undefined;
  readonly status: number;
  /** What went wrong: a word for the log and the metrics; empty where nothing did. */
  readonly failure: string;
  readonly usage: Readonly<TokenCounts> | undefined;
  /** Moments, in milliseconds of `performance.now()`; 0 where they never came. */
  readonly startedAt: number;
  readonly routedAt: number;
  readonly firstByteAt: number;
  readonly endedAt: number;
  /** Milliseconds spent waiting for a pod with room. */
  readonly queued: number;
}

import type { SchedulablePod } from './pod.ts';
import type { WaitingLine } from './waiting-line.ts';

/** A request that waits for room on a pod. */
export interface Waiter {
  /** Whether some pods are out of the question for it, so that it may have to wait where others need not. */
  readonly isChoosy: boolean;
  /** There may be room now. Returns whether it has left the line; if not, it keeps its place. */
  tryAgain(): boolean;
}

/** A pod that requests are placed on. */
export interface PlaceablePod extends SchedulablePod {
  recentWork: number;
  lastTurn: number;
  /** Everything that it can be asked for. */
  readonly routes: readonly Route<PlaceablePod>[];
  /** Takes a place on it; false where none is left. */
  acquire(): boolean;
  release(): void;
  useAdapter(name: string): void;
}

/** A name that can be asked for, and the pods behind it. */
export interface Route<P extends SchedulablePod> {
  readonly name: string;
  /** Whether the name is an adapter's. */
  readonly adapter: boolean;
  /** Keeps prompts for this model apart from the same prompts for others. */
  readonly seed: number;
  readonly pods: readonly P[];
  readonly waiting: WaitingLine<Waiter>;
}

import type { SchedulablePod } from './pod.ts';
import type { WaitingLine } from './waiting-line.ts';

/** A request waiting for free capacity on a pod. */
export interface Waiter {
  /** Whether some pods are out of the question for it, so that it may have to wait where others need not. */
  readonly isChoosy: boolean;
  /** There may be room now. Returns whether it has left the line; if not, it keeps its place. */
  tryAgain(): boolean;
}

/** A pod to which the scheduler assigns requests. */
export interface PlaceablePod extends SchedulablePod {
  recentWork: number;
  lastTurn: number;
  /** The routes of all its models and adapters. */
  readonly routes: readonly Route<PlaceablePod>[];
  /** Reserves capacity for one request; false if none is left. */
  acquire(): boolean;
  release(): void;
  useAdapter(name: string): void;
}

/** A model or adapter name, and the pods that serve it. */
export interface Route<P extends SchedulablePod> {
  readonly name: string;
  /** Whether the name belongs to an adapter. */
  readonly adapter: boolean;
  /** Hash seed that separates this model's prompts from identical prompts for other models. */
  readonly seed: number;
  readonly pods: readonly P[];
  readonly waiting: WaitingLine<Waiter>;
}

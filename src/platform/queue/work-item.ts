import type { WorkItemRow } from './tables.ts';

export type WorkState = WorkItemRow['state'];

export interface WorkProgress {
  done: number;
  total: number | null;
  unit: string;
  [detail: string]: unknown;
}

/** A work item as seen by everything but its runner. Times are milliseconds since 1970. */
export interface WorkItem {
  id: string;
  kind: string;
  name: string;
  subject: string | null;
  state: WorkState;
  priority: number;
  notBefore: number;
  payload: unknown;
  progress: WorkProgress | null;
  /** While it has not ended: what its handler has kept with `save`. */
  result: unknown;
  error: string | null;
  attempts: number;
  createdAt: number;
  startedAt: number | null;
  finishedAt: number | null;
}

/** `joined`: an item with the same unique key had not ended yet, and this is it. */
export interface EnqueuedWork extends WorkItem {
  joined: boolean;
}

export interface NewWork {
  kind: string;
  name: string;
  /** JSON. Must not contain secrets: it is stored in plain text. */
  payload?: unknown;
  /** What the work is about (a bot, a pod); a filter for lists. */
  subject?: string;
  /** -100 to 100, higher first. Default: 0. Items of equal priority run in order of arrival. */
  priority?: number;
  /** Earliest start. Until then the item doesn't block others. */
  notBefore?: number;
  /** Two items that share a key never run at the same time, and start in queue order. */
  exclusiveKeys?: readonly string[];
  /** The machine that should run it. If that one does not take it for a while, any other does. */
  machine?: string | null;
  /** While an item with this key has not ended, enqueueing another one returns the existing item. */
  uniqueKey?: string;
}

export const endedStates = ['FINISHED', 'FAILED', 'KILLED'] as const satisfies WorkState[];

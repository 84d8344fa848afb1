import type { WorkItemRow } from './tables.ts';

export type WorkState = WorkItemRow['state'];

export interface WorkProgress {
  done: number;
  total: number | null;
  unit: string;
  [detail: string]: unknown;
}

/** A piece of work as everyone but its runner sees it. Times are milliseconds since 1970. */
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
  result: unknown;
  error: string | null;
  attempts: number;
  createdAt: number;
  startedAt: number | null;
  finishedAt: number | null;
}

export interface NewWork {
  kind: string;
  name: string;
  /** JSON. Never a secret: it is stored as it is. */
  payload?: unknown;
  /** What the work is about (a bot, a pod), to list it by. */
  subject?: string;
  /** -100 to 100, higher first; 0 where not given. Among equals, in order of arrival. */
  priority?: number;
  /** Until then it is not in the line, and holds up nothing. */
  notBefore?: number;
  /** Two items with a common key never run at once, and start in the order of the line. */
  exclusiveKeys?: readonly string[];
  /** The machine that should run it. Where it is silent for a while, any other does. */
  machine?: string | null;
  /** While an item with this key has not ended, enqueueing another returns that one. */
  uniqueKey?: string;
}

export const endedStates = ['FINISHED', 'FAILED', 'KILLED'] as const satisfies WorkState[];

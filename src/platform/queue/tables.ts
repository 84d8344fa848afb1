import type { Generated } from 'kysely';

declare module '../database/tables.ts' {
  interface Tables {
    work_items: WorkItemRow;
    work_keys: WorkKeyRow;
  }
}

export interface WorkItemRow {
  seq: Generated<number>;
  id: string;
  kind: string;
  name: string;
  subject: string | null;
  state: 'CREATED' | 'RUNNING' | 'FINISHED' | 'FAILED' | 'KILLED';
  priority: number;
  not_before: number;
  unique_key: string | null;
  /** Number of rows in `work_keys` until the item ends. */
  key_count: number;
  payload: string;
  progress: string | null;
  result: string | null;
  error: string | null;
  /** Number of starts, not counting those interrupted by a shutdown. */
  attempts: number;
  /** The runner that holds the item, and the number of its claim; together they fence off late writers. */
  runner: string | null;
  claim: number;
  /** Set while a handler may still be running, including after a cancel. */
  lease_until: number | null;
  /** `seq` of the item that blocked this one when it was last checked. It is skipped until that item no longer blocks it. */
  blocked_by: number | null;
  /** The machine that should run it; null for any. */
  machine: string | null;
  created_at: number;
  started_at: number | null;
  finished_at: number | null;
}

/** An exclusive key of an item that has not ended. A unique index ensures that at most one row per key is `held`. */
export interface WorkKeyRow {
  key: string;
  item: number;
  /** The item's position in the queue for this key: by priority, then by arrival. Lower is earlier. */
  place: number;
  held: number;
}

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
  /** Rows in `work_keys` while it has not ended. */
  key_count: number;
  payload: string;
  progress: string | null;
  result: string | null;
  error: string | null;
  /** How often it was started, less the starts that a shutdown cut short. */
  attempts: number;
  /** Which runner holds it, and its how-manieth claim that is: together they fence off late writers. */
  runner: string | null;
  claim: number;
  /** Set while a runner's handler may still be at work on it, also after a cancel. */
  lease_until: number | null;
  /** The item (`seq`) that stood in its way when last looked at: it is not looked at again until that one is out of the way. */
  blocked_by: number | null;
  /** The machine that should run it; null for any. */
  machine: string | null;
  created_at: number;
  started_at: number | null;
  finished_at: number | null;
}

/** An exclusive key of an item that has not ended. At most one row a key is `held`: a unique index sees to it. */
export interface WorkKeyRow {
  key: string;
  item: number;
  /** The item's place in the line for this key: by priority, then by arrival. Smaller is earlier. */
  place: number;
  held: number;
}

import type { Session } from '../database/database.ts';
import type { WorkProgress } from './work-item.ts';

/** What a handler receives for one run of an item. */
export interface WorkContext<Payload = unknown> {
  readonly id: string;
  readonly name: string;
  readonly payload: Payload;
  /** 1 on the first run; higher after a crash or a retry. */
  readonly attempt: number;
  /** The last progress that an earlier attempt reported. */
  readonly progress: WorkProgress | null;
  /** Aborts on cancel, on shutdown, and if another process took over the item. The handler must clean up and throw. */
  readonly signal: AbortSignal;
  /** What an earlier attempt kept with `save`; null where none did. */
  readonly saved: unknown;
  /** Cheap: only the last report of each half second is written. */
  report(progress: WorkProgress): void;
  /**
   * Commits the rows that `effect` writes and keeps the value that it returns, for later attempts (as `saved`) and for
   * others (as the item's `result`). Throws, and rolls back `effect`, if this run no longer holds the item: after it,
   * a cancel can see that the work is past this point.
   */
  save(effect: (session: Session) => Promise<unknown>): Promise<void>;
  /**
   * Ends the item as FINISHED in the same transaction as the rows that `effect` writes, so that they can't
   * get out of sync. Throws, and rolls back `effect`, if this run no longer holds the item.
   */
  finish(effect: (session: Session) => Promise<unknown>): Promise<void>;
}

export interface WorkKind<Payload = unknown> {
  /** How many items of this kind run at the same time in this process. Default: 1. */
  concurrency?: number;
  /** Whether an item is restarted or failed when its process dies. */
  afterCrash: 'resume' | 'fail';
  /** Maximum number of starts per item, including those that ended in a crash. Default: 5. */
  attempts?: number;
  /** Called when the handler throws: milliseconds until the next attempt, or null to fail. Default: fail. */
  retryAfter?(attempt: number, error: unknown): number | null;
  /** How long an ended item is kept, in milliseconds. Default: 30 days. */
  keepEnded?: number;
  /** Keeps the newest item of each subject forever, for kinds whose last result is shown. */
  keepLast?: boolean;
  /** Returns the result (JSON). A thrown `Problem` is shown to users; other errors are only logged. */
  run(context: WorkContext<Payload>): Promise<unknown>;
}

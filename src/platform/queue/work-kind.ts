import type { Session } from '../database/database.ts';
import type { WorkProgress } from './work-item.ts';

/** What a handler is given for one run of one item. */
export interface WorkContext<Payload = unknown> {
  readonly id: string;
  readonly name: string;
  readonly payload: Payload;
  /** 1 at the first start; more after a crash or a retry. */
  readonly attempt: number;
  /** What an earlier attempt last reported. */
  readonly progress: WorkProgress | null;
  /** Aborts on cancel, on shutdown, and where another process took the item over: stop, clean up, throw. */
  readonly signal: AbortSignal;
  /** Cheap: only the last report in each half second is written. */
  report(progress: WorkProgress): void;
  /**
   * Ends the item as FINISHED in one commit with the rows that `effect` writes, so that what the work did
   * and the record of it can't come apart. Throws, and undoes `effect`, where the item is no longer ours.
   */
  finish(effect: (session: Session) => Promise<unknown>): Promise<void>;
}

export interface WorkKind<Payload = unknown> {
  /** How many of this kind run at once in this process; 1 where not given. */
  concurrency?: number;
  /** When the process running it dies: start it again, or fail it with that reason. */
  afterCrash: 'resume' | 'fail';
  /** Starts an item gets in all, counting those that ended in a crash; 5 where not given. */
  attempts?: number;
  /** After the handler threw: milliseconds until the next attempt, or null to fail now. Not given: fail now. */
  retryAfter?(attempt: number, error: unknown): number | null;
  /** How long an ended item stays listed, in milliseconds; 30 days where not given. */
  keepEnded?: number;
  /** The newest item of each subject stays for good: something asks what was last done about it. */
  keepLast?: boolean;
  /** Returns the result (JSON). What it throws from the list of problems is shown to users, other errors are only logged. */
  run(context: WorkContext<Payload>): Promise<unknown>;
}

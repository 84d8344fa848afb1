import { type ExpressionBuilder, sql } from 'kysely';
import type { Session } from '../../database/database.ts';
import type { Tables } from '../../database/tables.ts';
import { freeKeys, returnKeys } from '../claim-store.ts';
import type { WorkState } from '../work-item.ts';
import type { WorkRow } from '../work-row.ts';

/** Identifies one run of an item. Only the current holder can change the item. */
export interface Hold {
  seq: number;
  runner: string;
  claim: number;
}

/** How a run ended. `result` is JSON text. */
export type Outcome =
  | { state: 'FINISHED'; result: string }
  | { state: 'FAILED'; error: string }
  | { state: 'CREATED'; notBefore: number; error: string | null; countAttempt: boolean };

export interface Settlement extends Hold {
  outcome: Outcome;
  progress: string | null;
}

/**
 * Writes the outcomes of runs. A run that no longer holds its item changes nothing. `unblocked` means that
 * other items, of any kind, may now be able to start.
 */
export async function settleWork(
  session: Session,
  settlements: readonly Settlement[],
  now: number,
): Promise<{ rows: WorkRow[]; unblocked: boolean }> {
  const rows: WorkRow[] = [];
  const killed: Pick<WorkRow, 'seq' | 'key_count'>[] = [];
  for (const settlement of settlements) {
    const row = await settleOne(session, settlement, now);
    if (row) rows.push(row);
    else killed.push(...(await releaseKilled(session, settlement)));
  }
  const ended = rows.filter((row) => row.state !== 'CREATED');
  const waiting = rows.filter((row) => row.state === 'CREATED');
  const unblocked = (await freeKeys(session, [...ended, ...killed])) + (await returnKeys(session, waiting));
  return { rows, unblocked: unblocked > 0 };
}

function settleOne(
  session: Session,
  { outcome, progress, ...hold }: Settlement,
  now: number,
): Promise<WorkRow | undefined> {
  const again = outcome.state === 'CREATED' ? outcome : null;
  return session.query
    .updateTable('work_items')
    .set((row) => ({
      state: outcome.state,
      lease_until: null,
      finished_at: again ? null : now,
      // What a handler has saved is kept for its next attempt.
      result: outcome.state === 'FINISHED' ? outcome.result : again ? row.ref('result') : null,
      error: outcome.state === 'FINISHED' ? null : outcome.error,
      progress: row.fn.coalesce(row.val(progress), 'progress'),
      not_before: again ? again.notBefore : row.ref('not_before'),
      attempts: row('attempts', '-', again && !again.countAttempt ? 1 : 0),
    }))
    .where(held(hold, 'RUNNING'))
    .returningAll()
    .executeTakeFirst();
}

/** Matches the item only while this run holds it, which fences off a run that was superseded. */
function held({ seq, runner, claim }: Hold, state: WorkState) {
  return (row: ExpressionBuilder<Tables, 'work_items'>) => row.and({ seq, runner, claim, state });
}

/** Whether exactly this run has ended its item as FINISHED. */
export async function hasFinished(session: Session, { seq, runner, claim }: Hold): Promise<boolean> {
  const row = await session.query
    .selectFrom('work_items')
    .select('seq')
    .where(held({ seq, runner, claim }, 'FINISHED'))
    .executeTakeFirst();
  return row !== undefined;
}

/** The handler of a killed item has returned, so its lease ends. */
function releaseKilled(session: Session, hold: Hold) {
  return session.query
    .updateTable('work_items')
    .set({ lease_until: null })
    .where(held(hold, 'KILLED'))
    .returning(['seq', 'key_count'])
    .execute();
}

export async function saveProgress(
  session: Session,
  hold: Hold,
  progress: string,
): Promise<WorkRow | undefined> {
  return session.query
    .updateTable('work_items')
    .set({ progress })
    .where(held(hold, 'RUNNING'))
    .returningAll()
    .executeTakeFirst();
}

export async function saveResult(session: Session, hold: Hold, result: string): Promise<WorkRow | undefined> {
  return session.query
    .updateTable('work_items')
    .set({ result })
    .where(held(hold, 'RUNNING'))
    .returningAll()
    .executeTakeFirst();
}

/** The items that this runner holds, with their claims. */
export async function heldBy(session: Session, runner: string): Promise<Map<number, number>> {
  const rows = await session.query
    .selectFrom('work_items')
    .select(['seq', 'claim'])
    .where('lease_until', 'is not', null)
    .where('runner', '=', runner)
    .where('state', '=', 'RUNNING')
    .execute();
  return new Map(rows.map(({ seq, claim }) => [seq, claim]));
}

export async function renewLeases(
  session: Session,
  runner: string,
  running: readonly number[],
  leaseUntil: number,
): Promise<void> {
  await session.query
    .updateTable('work_items')
    .set({ lease_until: leaseUntil })
    .where('seq', 'in', running)
    .where('runner', '=', runner)
    .where('state', '=', 'RUNNING')
    .execute();
}

interface Search {
  runner: string;
  /** Items whose handler is running in this process. */
  running: readonly number[];
  kinds: readonly string[];
  now: number;
  /** No other process can be alive. */
  alone: boolean;
}

/**
 * Finds items that are marked as running but have no handler: their lease has expired (the process died, or
 * it never learned that its claim was committed), or another runner holds them though only this one can be
 * alive. Includes killed items whose grace period has passed.
 */
export function findAbandoned(
  session: Session,
  { runner, running, kinds, now, alone }: Search,
): Promise<WorkRow[]> {
  const expired = sql<boolean>`lease_until < ${now}`;
  return session.query
    .selectFrom('work_items')
    .selectAll()
    .where('lease_until', 'is not', null)
    .where('kind', 'in', kinds)
    .where((row) => {
      const unknownHere = running.length > 0 ? row('seq', 'not in', running) : sql<boolean>`1 = 1`;
      const ways = [row.and([expired, unknownHere]), row.and([expired, row('state', '=', 'KILLED')])];
      return row.or(alone ? [...ways, row('runner', '<>', runner)] : ways);
    })
    .execute();
}

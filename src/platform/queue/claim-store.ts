import { sql } from 'kysely';
import type { Session } from '../database/database.ts';
import type { WorkRow } from './work-row.ts';

/** Milliseconds for which work meant for another machine is left to it; after that any machine takes it. */
const patience = 60_000;
/** An arbitrary advisory lock id that nothing else in the database uses. */
const queueLock = 7_205_002;
/** A process that freezes while it holds the lock loses it after this time; milliseconds, as text. */
const frozenAfter = '10000';
const leastBatch = 8;

/**
 * Lets only one process at a time claim, settle or cancel; on SQLite there is only one process. A
 * transaction that also writes other rows takes the lock after them, to avoid deadlocks.
 */
export async function lockQueue(session: Session): Promise<void> {
  if (session.dialect === 'sqlite') return;
  await sql`select set_config('idle_in_transaction_session_timeout', ${frozenAfter}, true),
    pg_advisory_xact_lock(${queueLock})`.execute(session.query);
}

interface Claim {
  kind: string;
  limit: number;
  runner: string;
  /** Where this runner is. */
  machine: string;
  now: number;
  leaseUntil: number;
  /** Items whose earlier run in this process has not returned yet. */
  except: readonly number[];
}

/**
 * Claims up to `limit` items from the front of the queue. An item behind another is marked `blocked_by`
 * and skipped until that one no longer blocks it, so that a long queue for one key doesn't slow down others.
 */
export async function claimWork(session: Session, claim: Claim): Promise<WorkRow[]> {
  const claimed: WorkRow[] = [];
  for (;;) {
    const wanted = claim.limit - claimed.length;
    const batch = Math.max(wanted, leastBatch);
    const candidates = await frontOfLine(session, claim, batch);
    const free = candidates.filter((candidate) => candidate.blocker === null).slice(0, wanted);
    for (const { seq, blocker } of candidates) {
      if (blocker !== null) await markBlocked(session, seq, blocker);
    }
    if (free.length > 0)
      claimed.push(
        ...(await take(
          session,
          claim,
          free.map(({ seq }) => seq),
        )),
      );
    if (claimed.length >= claim.limit || candidates.length < batch) return claimed;
  }
}

async function frontOfLine(session: Session, { kind, now, except, machine }: Claim, limit: number) {
  // Per key: the holder, otherwise the nearest item ahead in the queue. An item that waits for a retry
  // keeps its place; an item that has never run and is not due yet doesn't block others.
  const blocker = sql<number | null>`(
    select max(coalesce(
      (select holder.item from work_keys holder where holder.key = own.key and holder.held = 1),
      (select ahead.item from work_keys ahead join work_items other on other.seq = ahead.item
        where ahead.key = own.key and ahead.place < own.place
          and (other.attempts > 0 or other.not_before <= ${now})
        order by ahead.place desc limit 1)))
    from work_keys own where own.item = waiting.seq)`;
  let query = session.query
    .selectFrom('work_items as waiting')
    .select(['waiting.seq', blocker.as('blocker')])
    .where('waiting.kind', '=', kind)
    .where(sql<boolean>`waiting.state = 'CREATED' and waiting.blocked_by is null`)
    .where('waiting.not_before', '<=', now)
    .where((row) =>
      row.or([
        row('waiting.machine', 'is', null),
        row('waiting.machine', '=', machine),
        row('waiting.created_at', '<', now - patience),
      ]),
    )
    .orderBy('waiting.priority', 'desc')
    .orderBy('waiting.seq')
    .limit(limit);
  if (except.length > 0) query = query.where('waiting.seq', 'not in', except);
  if (session.dialect === 'postgres') query = query.forUpdate('waiting').skipLocked();
  return query.execute();
}

async function take(session: Session, claim: Claim, items: number[]): Promise<WorkRow[]> {
  const rows = await session.query
    .updateTable('work_items')
    .set((row) => ({
      state: 'RUNNING',
      runner: claim.runner,
      claim: row('claim', '+', 1),
      attempts: row('attempts', '+', 1),
      lease_until: claim.leaseUntil,
      started_at: row.fn.coalesce('started_at', row.val(claim.now)),
    }))
    .where('seq', 'in', items)
    .returningAll()
    .execute();
  await holdKeys(session, rows, 1);
  return rows.sort((one, other) => other.priority - one.priority || one.seq - other.seq);
}

async function markBlocked(session: Session, item: number, blocker: number): Promise<void> {
  await session.query
    .updateTable('work_items')
    .set({ blocked_by: blocker })
    .where('seq', '=', item)
    .execute();
}

type Keyed = Pick<WorkRow, 'seq' | 'key_count'>;

/** Most items have no keys; skipping them saves statements that would change nothing. */
function withKeys(rows: readonly Keyed[]): number[] {
  return rows.filter((row) => row.key_count > 0).map((row) => row.seq);
}

async function holdKeys(session: Session, rows: readonly Keyed[], held: 0 | 1): Promise<void> {
  const items = withKeys(rows);
  if (items.length === 0) return;
  await session.query.updateTable('work_keys').set({ held }).where('item', 'in', items).execute();
}

/** Removes the keys of ended items and unblocks the items behind them; returns how many were unblocked. */
export async function freeKeys(session: Session, rows: readonly Keyed[]): Promise<number> {
  const items = withKeys(rows);
  if (items.length === 0) return 0;
  await session.query.deleteFrom('work_keys').where('item', 'in', items).execute();
  return unblockBehind(session, items);
}

/** Releases the keys of items that go back to the queue; they keep their places. */
export async function returnKeys(session: Session, rows: readonly Keyed[]): Promise<number> {
  const items = withKeys(rows);
  if (items.length === 0) return 0;
  await holdKeys(session, rows, 0);
  return unblockBehind(session, items);
}

async function unblockBehind(session: Session, items: readonly number[]): Promise<number> {
  const { numUpdatedRows } = await session.query
    .updateTable('work_items')
    .set({ blocked_by: null })
    .where('blocked_by', 'in', items)
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}

import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Session } from '../database/database.ts';
import { toJson } from '../database/json-column.ts';
import { freeKeys } from './claim-store.ts';
import { endedStates, type NewWork, type WorkState } from './work-item.ts';
import type { WorkRow } from './work-row.ts';

/** Largest absolute priority; it keeps places in the queue below 2^53. */
export const farthestPriority = 100;
const placesPerPriority = 2 ** 42;

/** Literals instead of parameters, because the partial index is used only then. */
const unended = sql<boolean>`state in ('CREATED', 'RUNNING')`;

/** Inserts an item, or returns the existing one with the same unique key. */
export async function insertWork(
  session: Session,
  work: NewWork,
  now: number,
): Promise<{ row: WorkRow; created: boolean }> {
  const keys = [...new Set(work.exclusiveKeys)];
  const insert = session.query.insertInto('work_items').values({
    id: randomUUID(),
    kind: work.kind,
    name: work.name,
    subject: work.subject ?? null,
    state: 'CREATED',
    priority: work.priority ?? 0,
    not_before: work.notBefore ?? 0,
    unique_key: work.uniqueKey ?? null,
    key_count: keys.length,
    payload: toJson(work.payload),
    attempts: 0,
    claim: 0,
    machine: work.machine ?? null,
    created_at: now,
  });
  if (work.uniqueKey === undefined) {
    const row = await insert.returningAll().executeTakeFirstOrThrow();
    await insertKeys(session, row, keys);
    return { row, created: true };
  }
  for (;;) {
    const row = await insert
      .onConflict((conflict) => conflict.column('unique_key').where(unended).doNothing())
      .returningAll()
      .executeTakeFirst();
    if (row) {
      await insertKeys(session, row, keys);
      return { row, created: true };
    }
    const standing = await session.query
      .selectFrom('work_items')
      .selectAll()
      .where('unique_key', '=', work.uniqueKey)
      .where(unended)
      .executeTakeFirst();
    // If it ended between the two statements, the next iteration inserts.
    if (standing) return { row: standing, created: false };
  }
}

async function insertKeys(session: Session, row: WorkRow, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  const place = (farthestPriority - row.priority) * placesPerPriority + row.seq;
  await session.query
    .insertInto('work_keys')
    .values(keys.map((key) => ({ key, item: row.seq, place, held: 0 })))
    .execute();
}

export function findWork(session: Session, id: string): Promise<WorkRow | undefined> {
  return session.query.selectFrom('work_items').selectAll().where('id', '=', id).executeTakeFirst();
}

export interface WorkFilter {
  kinds?: readonly string[];
  states?: readonly WorkState[];
  subject?: string;
  limit?: number;
}

/** Newest first. */
export function listWork(session: Session, filter: WorkFilter): Promise<WorkRow[]> {
  let query = session.query.selectFrom('work_items').selectAll();
  if (filter.kinds) query = query.where('kind', 'in', filter.kinds);
  if (filter.states) query = query.where('state', 'in', filter.states);
  if (filter.subject !== undefined) query = query.where('subject', '=', filter.subject);
  return query
    .orderBy('seq', 'desc')
    .limit(filter.limit ?? 1_000)
    .execute();
}

/** Items that wait or run with any of these keys, in queue order. */
export async function listActiveWork(session: Session, keys: readonly string[]): Promise<WorkRow[]> {
  if (keys.length === 0) return [];
  return session.query
    .selectFrom('work_items')
    .selectAll()
    .where('seq', 'in', (nested) => nested.selectFrom('work_keys').select('item').where('key', 'in', keys))
    .where(unended)
    .orderBy('priority', 'desc')
    .orderBy('seq')
    .execute();
}

/**
 * Sets the item to KILLED. If it is running, it keeps its keys until its handler returns or `graceUntil`
 * passes, so that the next item doesn't overlap with it. Undefined if it is unknown or has ended.
 */
export async function killWork(
  session: Session,
  id: string,
  now: number,
  graceUntil: number,
): Promise<WorkRow | undefined> {
  const row = await session.query
    .updateTable('work_items')
    .set({
      state: 'KILLED',
      finished_at: now,
      blocked_by: null,
      lease_until: sql<number | null>`case when state = 'RUNNING' then cast(${graceUntil} as bigint) end`,
    })
    .where('id', '=', id)
    .where('state', 'in', ['CREATED', 'RUNNING'])
    .returningAll()
    .executeTakeFirst();
  if (row && row.lease_until === null) await freeKeys(session, [row]);
  return row;
}

export async function pruneWork(
  session: Session,
  kind: string,
  endedBefore: number,
  keepLast: boolean,
): Promise<void> {
  await session.query
    .deleteFrom('work_items')
    .$if(keepLast, (query) =>
      query.where('seq', 'not in', (nested) =>
        nested
          .selectFrom('work_items')
          .select((of) => of.fn.max('seq').as('last'))
          .where('kind', '=', kind)
          .groupBy('subject'),
      ),
    )
    .where('kind', '=', kind)
    .where('finished_at', '<', endedBefore)
    .where('lease_until', 'is', null)
    .where('state', 'in', endedStates)
    .execute();
}

import { sql } from 'kysely';
import type { Session } from '../../database/database.ts';
import type { UsageEntry } from './usage-ledger.ts';

/** Adds usage to the rows of its key, model, pod and day. */
export async function addUsage(
  { query }: Session,
  entries: readonly UsageEntry[],
  day: string,
): Promise<void> {
  for (let at = 0; at < entries.length; at += 200) {
    await query
      .insertInto('usage_days')
      .values(entries.slice(at, at + 200).map((entry) => ({ day, ...entry })))
      .onConflict((conflict) =>
        conflict.columns(['day', 'key', 'model', 'pod']).doUpdateSet({
          requests: sql`usage_days.requests + excluded.requests`,
          failures: sql`usage_days.failures + excluded.failures`,
          prompt_tokens: sql`usage_days.prompt_tokens + excluded.prompt_tokens`,
          completion_tokens: sql`usage_days.completion_tokens + excluded.completion_tokens`,
        }),
      )
      .execute();
  }
}

/** The tokens that each key has used since a day, which is included. */
export async function tokensSince({ query }: Session, day: string): Promise<Map<string, number>> {
  const rows = await query
    .selectFrom('usage_days')
    .select(['key', sql<number>`sum(prompt_tokens + completion_tokens)`.as('tokens')])
    .where('day', '>=', day)
    .groupBy('key')
    .execute();
  return new Map(rows.map((row) => [row.key, Number(row.tokens)]));
}

export interface UsageFilter {
  /** Days as `2026-05-31`, both included. */
  from: string;
  to: string;
  key?: string;
  model?: string;
}

/** Usage by day, key and model; the pods are added up. */
export type UsageOfDay = Omit<UsageEntry, 'pod'> & { day: string };

/**
 * For the usage pages of admins and callers.
 * @public
 */
export async function listUsage({ query }: Session, filter: UsageFilter): Promise<UsageOfDay[]> {
  const sum = (column: 'requests' | 'failures' | 'prompt_tokens' | 'completion_tokens') =>
    sql<number>`cast(sum(${sql.ref(column)}) as bigint)`.as(column);
  let rows = query
    .selectFrom('usage_days')
    .select(['day', 'key', 'model', sum('requests'), sum('failures')])
    .select([sum('prompt_tokens'), sum('completion_tokens')])
    .where('day', '>=', filter.from)
    .where('day', '<=', filter.to);
  if (filter.key !== undefined) rows = rows.where('key', '=', filter.key);
  if (filter.model !== undefined) rows = rows.where('model', '=', filter.model);
  return rows.groupBy(['day', 'key', 'model']).orderBy('day').orderBy('key').orderBy('model').execute();
}

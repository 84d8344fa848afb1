import { sql } from 'kysely';
import type { Session } from '../../database/database.ts';
import type { UsageDayRow } from '../tables.ts';
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
          pages: sql`usage_days.pages + excluded.pages`,
        }),
      )
      .execute();
  }
}

/** The tokens and pages that each key has used since a day, which is included. */
export async function usedSince(
  { query }: Session,
  day: string,
): Promise<Map<string, { tokens: number; pages: number }>> {
  const rows = await query
    .selectFrom('usage_days')
    .select(['key', sql<number>`sum(prompt_tokens + completion_tokens)`.as('tokens')])
    .select(sql<number>`sum(pages)`.as('pages'))
    .where('day', '>=', day)
    .groupBy('key')
    .execute();
  return new Map(
    rows.map(({ key, tokens, pages }) => [key, { tokens: Number(tokens), pages: Number(pages) }]),
  );
}

export interface UsageFilter {
  /** Days as `2026-05-31`, both included. */
  from: string;
  to: string;
  key?: string | undefined;
  model?: string | undefined;
}

/** Usage by day, key and model; the pods are added up. */
export async function listUsage(
  { query }: Session,
  { from, to, key, model }: UsageFilter,
): Promise<Omit<UsageDayRow, 'pod'>[]> {
  const sum = (column: 'requests' | 'failures' | 'prompt_tokens' | 'completion_tokens' | 'pages') =>
    sql<number>`cast(sum(${sql.ref(column)}) as bigint)`.as(column);
  let rows = query
    .selectFrom('usage_days')
    .select(['day', 'key', 'model', sum('requests'), sum('failures')])
    .select([sum('prompt_tokens'), sum('completion_tokens'), sum('pages')])
    .where('day', '>=', from)
    .where('day', '<=', to);
  if (key !== undefined) rows = rows.where('key', '=', key);
  if (model !== undefined) rows = rows.where('model', '=', model);
  return rows.groupBy(['day', 'key', 'model']).orderBy('day').orderBy('key').orderBy('model').execute();
}

import { sql } from 'kysely';
import type { Session } from '../../platform/database/database.ts';
import type { UsageEntry } from './usage-ledger.ts';

/** Adds usage to what is kept for each key, model, pod and day. */
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

/** The tokens that each key has used since a day, that day included. */
export async function tokensSince({ query }: Session, day: string): Promise<Map<string, number>> {
  const rows = await query
    .selectFrom('usage_days')
    .select(['key', sql<number>`sum(prompt_tokens + completion_tokens)`.as('tokens')])
    .where('day', '>=', day)
    .groupBy('key')
    .execute();
  return new Map(rows.map((row) => [row.key, Number(row.tokens)]));
}

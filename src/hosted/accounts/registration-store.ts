import { sql } from 'kysely';
import type { Session } from '../../platform/database/database.ts';

/** Counts an attempt and returns how many the source has made in this hour. */
export async function countAttempt({ query }: Session, source: string, hour: number): Promise<number> {
  const { attempts } = await query
    .insertInto('hosted_registrations')
    .values({ source, hour, attempts: 1 })
    .onConflict((conflict) =>
      conflict.columns(['source', 'hour']).doUpdateSet({ attempts: sql`hosted_registrations.attempts + 1` }),
    )
    .returning('attempts')
    .executeTakeFirstOrThrow();
  return Number(attempts);
}

export async function forgetAttemptsBefore({ query }: Session, hour: number): Promise<void> {
  await query.deleteFrom('hosted_registrations').where('hour', '<', hour).execute();
}

import { createHash } from 'node:crypto';
import type { Session } from './database.ts';

/** The header in which a process names its database to another one, so that a pair that should share it can tell. */
export const databaseHeader = 'x-roundhouse-database';

/** Equal for processes that use the same database: derived from when its tables were created. */
export async function databaseIdentity(session: Session): Promise<string> {
  const rows = await session.query
    .selectFrom('schema_migrations')
    .select(['number', 'applied_at'])
    .orderBy('number')
    .limit(3)
    .execute();
  return createHash('sha256')
    .update(JSON.stringify([session.dialect, rows.map(({ applied_at }) => Number(applied_at))]))
    .digest('hex')
    .slice(0, 16);
}

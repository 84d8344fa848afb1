import type { Insertable, Selectable } from 'kysely';
import type { Session } from '../../platform/database/database.ts';
import type { BotChunkRow } from '../tables.ts';

export type StoredChunk = Selectable<BotChunkRow>;

export async function insertChunks(
  session: Session,
  rows: readonly Insertable<BotChunkRow>[],
): Promise<void> {
  if (rows.length > 0) await session.query.insertInto('bot_chunks').values(rows).execute();
}

/** The chunks of a document from a position on. */
export function chunksFrom(
  session: Session,
  document: number,
  position: number,
  limit: number,
): Promise<StoredChunk[]> {
  return session.query
    .selectFrom('bot_chunks')
    .selectAll()
    .where('document', '=', document)
    .where('position', '>=', position)
    .orderBy('position')
    .limit(limit)
    .execute();
}

/** Deletes at most `limit` chunks of a document, and returns how many there were. */
export async function deleteSomeChunks(session: Session, document: number, limit: number): Promise<number> {
  const some = session.query
    .selectFrom('bot_chunks')
    .select('id')
    .where('document', '=', document)
    .limit(limit);
  const { numDeletedRows } = await session.query
    .deleteFrom('bot_chunks')
    .where('id', 'in', some)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

import { sql } from 'kysely';
import type { Session } from '../../platform/database/database.ts';
import type { BotRow } from '../tables.ts';

/** Lets one transaction at a time decide about a bot, whether or not it exists yet. SQLite has only one anyway. */
export async function lockBot(session: Session, id: string): Promise<void> {
  if (session.dialect === 'sqlite') return;
  await sql`select pg_advisory_xact_lock(hashtextextended(${`bot:${id}`}, 0))`.execute(session.query);
}

export async function insertBot({ query }: Session, row: BotRow): Promise<void> {
  await query.insertInto('bots').values(row).execute();
}

export async function findBot({ query }: Session, id: string): Promise<BotRow | undefined> {
  return query.selectFrom('bots').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function listBots({ query }: Session): Promise<BotRow[]> {
  return query.selectFrom('bots').selectAll().orderBy('id').execute();
}

export async function updateBot(
  { query }: Session,
  id: string,
  changes: Partial<Omit<BotRow, 'id'>>,
): Promise<void> {
  await query.updateTable('bots').set(changes).where('id', '=', id).execute();
}

/** Its questions go with it; its documents must be gone already. */
export async function deleteBotRow({ query }: Session, id: string): Promise<void> {
  await query.deleteFrom('bots').where('id', '=', id).execute();
}

import type { Selectable, Updateable } from 'kysely';
import { NotFound } from '../../../contracts/problems.ts';
import type { Session } from '../../../platform/database/database.ts';
import type { BotDocumentRow, BotRow } from '../../tables.ts';

export type StoredVersion = Selectable<BotDocumentRow>;

export function findVersion(session: Session, id: number): Promise<StoredVersion | undefined> {
  return session.query.selectFrom('bot_documents').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Reads a bot, and makes transactions that do the same wait for each other. Throws `NotFound`. */
export async function lockBot(session: Session, id: string): Promise<Selectable<BotRow>> {
  const found = session.query.selectFrom('bots').selectAll().where('id', '=', id);
  // SQLite runs one transaction at a time anyway.
  const bot = await (session.dialect === 'postgres' ? found.forUpdate() : found).executeTakeFirst();
  if (!bot) throw new NotFound('bot', id);
  return bot;
}

export function findBot(session: Session, id: string): Promise<Selectable<BotRow> | undefined> {
  return session.query.selectFrom('bots').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Changes a version that is still being prepared; false if it is not, or is gone. */
export async function changePrepared(
  session: Session,
  id: number,
  change: Updateable<BotDocumentRow>,
): Promise<boolean> {
  const { numUpdatedRows } = await session.query
    .updateTable('bot_documents')
    .set(change)
    .where('id', '=', id)
    .where('state', 'in', ['pending', 'processing'])
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export function versionsById(
  session: Session,
  bot: string,
  ids: readonly number[],
): Promise<StoredVersion[]> {
  return session.query
    .selectFrom('bot_documents')
    .selectAll()
    .where('bot', '=', bot)
    .where('id', 'in', [...ids])
    .execute();
}

/** The versions of a bot that have chunks and are not being removed. */
export function livingVersions(session: Session, bot: string): Promise<StoredVersion[]> {
  return session.query
    .selectFrom('bot_documents')
    .selectAll()
    .where('bot', '=', bot)
    .where('chunks', 'is not', null)
    .where('state', 'in', ['processing', 'built', 'active'])
    .orderBy('id')
    .execute();
}

export async function changeBot(session: Session, id: string, change: Updateable<BotRow>): Promise<void> {
  await session.query.updateTable('bots').set(change).where('id', '=', id).execute();
}

/** Whether versions other than these have the blob. */
export async function isBlobShared(session: Session, blob: string, ids: readonly number[]): Promise<boolean> {
  const other = await session.query
    .selectFrom('bot_documents')
    .select('id')
    .where('blob', '=', blob)
    .where('id', 'not in', [...ids])
    .limit(1)
    .executeTakeFirst();
  return other !== undefined;
}

export async function deleteVersion(session: Session, id: number): Promise<void> {
  await session.query.deleteFrom('bot_documents').where('id', '=', id).execute();
}

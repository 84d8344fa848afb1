import { NotFound } from '../../contracts/problems.ts';
import type { Session } from '../../platform/database/database.ts';
import type { BotRow } from '../tables.ts';
import { findBot } from './bots-store.ts';

/** The bot; throws `NotFound`. One that is being deleted is gone for everybody but its command. */
export async function requireBot(session: Session, id: string): Promise<BotRow> {
  const bot = await findBot(session, id);
  if (!bot || bot.state === 'deleting') throw new NotFound('bot', id);
  return bot;
}

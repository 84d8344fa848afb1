import type { Database } from '../../platform/database/database.ts';
import { deleteAnswers } from './answers-store.ts';

/**
 * Removes the kept answers that may contain text of a document of a bot, or all of the bot, and returns how many they
 * were. Needs no open chatbot, so that a process that only runs the index can call it.
 */
export const forgetAnswers = (database: Database, bot: string, document?: string): Promise<number> =>
  database.transaction((session) => deleteAnswers(session, bot, document));

import type { RegressionQuestion } from '../../contracts/document-index/bots.ts';
import type { Session } from '../../platform/database/database.ts';

export async function listQuestions({ query }: Session, bot: string): Promise<RegressionQuestion[]> {
  return query
    .selectFrom('bot_questions')
    .select(['question', 'answer', 'document', 'page'])
    .where('bot', '=', bot)
    .orderBy('id')
    .execute();
}

export async function replaceQuestions(
  { query }: Session,
  bot: string,
  questions: readonly RegressionQuestion[],
  now: number,
): Promise<void> {
  await query.deleteFrom('bot_questions').where('bot', '=', bot).execute();
  if (questions.length === 0) return;
  await query
    .insertInto('bot_questions')
    .values(questions.map((question) => ({ bot, ...question, created_at: now })))
    .execute();
}

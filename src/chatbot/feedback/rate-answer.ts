import type { Clock } from '../../contracts/clock.ts';
import type { Feedback } from '../../contracts/document-index/feedback.ts';
import { NotFound } from '../../contracts/problems.ts';
import type { Database } from '../../platform/database/database.ts';
import { pruneRated, setRating } from './answers-store.ts';

export interface FeedbackDependencies {
  database: Database;
  clock: Clock;
}

const mostRated = 10_000;

/** Rates an answer. A second rating replaces the first. */
export async function rateAnswer(
  { database, clock }: FeedbackDependencies,
  bot: string,
  { answer_id, rating, comment }: Feedback,
): Promise<{ answer_id: string; rating: number }> {
  const value = rating === 'up' ? 1 : rating === 'down' ? -1 : rating;
  await database.transaction(async (session) => {
    const values = { rating: value, comment: comment?.trim() || null, rated_at: clock.now() };
    if (!(await setRating(session, { bot, id: answer_id }, values))) {
      throw new NotFound('answer', answer_id, {
        words: `answer '${answer_id.slice(0, 100)}' of this bot is not known any more, or never was`,
      });
    }
    await pruneRated(session, bot, mostRated);
  });
  return { answer_id, rating: value };
}

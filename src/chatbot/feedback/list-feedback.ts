import type { FeedbackEntry, FeedbackList } from '../../contracts/document-index/feedback.ts';
import { BadRequest } from '../../contracts/problems.ts';
import { fromJson } from '../../platform/database/json-column.ts';
import type { BotAnswerRow } from '../tables.ts';
import { ratedAnswers } from './answers-store.ts';
import type { FeedbackDependencies } from './rate-answer.ts';

export async function listFeedback(
  { database }: Pick<FeedbackDependencies, 'database'>,
  bot: string,
  { limit, before }: { limit: number; before?: string | undefined },
): Promise<FeedbackList> {
  const rows = await ratedAnswers(database, bot, {
    limit: limit + 1,
    after: before === undefined ? undefined : readCursor(before),
  });
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    feedback: shown.map(entryOf),
    next: rows.length > limit && last ? `${last.rated_at}_${last.id}` : null,
  };
}

/** All ratings of a bot, one page after the other. */
export async function* allFeedback(
  deps: Pick<FeedbackDependencies, 'database'>,
  bot: string,
): AsyncGenerator<FeedbackEntry> {
  let before: string | undefined;
  do {
    const { feedback, next } = await listFeedback(deps, bot, { limit: 100, before });
    yield* feedback;
    before = next ?? undefined;
  } while (before !== undefined);
}

function readCursor(before: string) {
  const [, rated_at, id] = /^(\d{1,16})_([0-9a-f-]{36})$/.exec(before) ?? [];
  if (rated_at === undefined || id === undefined)
    throw new BadRequest('before: must be `next` of an earlier page', { param: 'before' });
  return { rated_at: Number(rated_at), id };
}

const entryOf = (row: BotAnswerRow): FeedbackEntry => ({
  answer_id: row.id,
  rating: row.rating ?? 0,
  comment: row.comment,
  rated_at: new Date(row.rated_at ?? 0).toISOString(),
  question: row.question,
  earlier_questions: fromJson<string[]>(row.earlier_json),
  answer: row.answer,
  documents: fromJson<FeedbackEntry['documents']>(row.documents_json),
  passages: fromJson<FeedbackEntry['passages']>(row.passages_json),
  asked_at: new Date(row.created_at).toISOString(),
});

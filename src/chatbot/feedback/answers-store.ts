import type { Session } from '../../platform/database/database.ts';
import type { BotAnswerRow } from '../tables.ts';

export async function insertAnswer(
  { query }: Session,
  row: BotAnswerRow,
  documents: readonly string[],
): Promise<void> {
  await query.insertInto('bot_answers').values(row).execute();
  if (documents.length > 0) {
    await query
      .insertInto('bot_answer_documents')
      .values(documents.map((document) => ({ answer: row.id, document })))
      .execute();
  }
}

/** Removes unrated answers from before a time, and all but the newest `most` of a bot. */
export async function pruneUnrated(
  { query }: Session,
  { bot, before, most }: { bot: string; before: number; most: number },
): Promise<void> {
  await query
    .deleteFrom('bot_answers')
    .where('rated_at', 'is', null)
    .where('created_at', '<', before)
    .execute();
  const surplus = query
    .selectFrom('bot_answers')
    .select('id')
    .where('bot', '=', bot)
    .where('rated_at', 'is', null)
    .orderBy('created_at', 'desc')
    .limit(1_000_000)
    .offset(most);
  await query.deleteFrom('bot_answers').where('id', 'in', surplus).execute();
}

/** Removes all but the newest `most` ratings of a bot. */
export async function pruneRated({ query }: Session, bot: string, most: number): Promise<void> {
  const surplus = query
    .selectFrom('bot_answers')
    .select('id')
    .where('bot', '=', bot)
    .where('rated_at', 'is not', null)
    .orderBy('rated_at', 'desc')
    .limit(1_000_000)
    .offset(most);
  await query.deleteFrom('bot_answers').where('id', 'in', surplus).execute();
}

/** Whether there was such an answer. */
export async function setRating(
  { query }: Session,
  { bot, id }: { bot: string; id: string },
  values: Pick<BotAnswerRow, 'rating' | 'comment' | 'rated_at'>,
): Promise<boolean> {
  const { numUpdatedRows } = await query
    .updateTable('bot_answers')
    .set(values)
    .where('id', '=', id)
    .where('bot', '=', bot)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Rated answers, the newest rating first; `after` is the last one of the page before. */
export function ratedAnswers(
  { query }: Session,
  bot: string,
  { limit, after }: { limit: number; after?: Pick<BotAnswerRow, 'rated_at' | 'id'> | undefined },
): Promise<BotAnswerRow[]> {
  let rows = query
    .selectFrom('bot_answers')
    .selectAll()
    .where('bot', '=', bot)
    .where('rated_at', 'is not', null)
    .orderBy('rated_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit);
  if (after) {
    rows = rows.where((where) =>
      where.or([
        where('rated_at', '<', after.rated_at),
        where.and([where('rated_at', '=', after.rated_at), where('id', '<', after.id)]),
      ]),
    );
  }
  return rows.execute();
}

/** Removes the answers of a bot, or those that may contain text of one document. Returns how many. */
export async function deleteAnswers({ query }: Session, bot: string, document?: string): Promise<number> {
  let deletion = query.deleteFrom('bot_answers').where('bot', '=', bot);
  if (document !== undefined) {
    deletion = deletion.where(
      'id',
      'in',
      query.selectFrom('bot_answer_documents').select('answer').where('document', 'in', [document, '*']),
    );
  }
  const { numDeletedRows } = await deletion.executeTakeFirst();
  return Number(numDeletedRows);
}

import type { Session } from '../../platform/database/database.ts';
import type { BotRow, StoredSource } from '../tables.ts';

type NewSource = Omit<StoredSource, 'id' | keyof SourceResult>;

/** What the last listing of a source came to. */
export type SourceResult = Pick<StoredSource, 'synced_at' | 'counts_json' | 'error'>;

/** The sources of a bot, or of all bots, in the order in which they were named. */
export async function listSources({ query }: Session, bot?: string): Promise<StoredSource[]> {
  let rows = query.selectFrom('bot_sources').selectAll();
  if (bot !== undefined) rows = rows.where('bot', '=', bot);
  return rows.orderBy('id').execute();
}

/** A source that the bot already has gets the new credentials. */
export async function addSources({ query }: Session, sources: readonly NewSource[]): Promise<void> {
  for (const source of sources) {
    await query
      .insertInto('bot_sources')
      .values(source)
      .onConflict((conflict) =>
        conflict.columns(['bot', 'type', 'url']).doUpdateSet({ sealed: source.sealed }),
      )
      .execute();
  }
}

/** Notes the result of the bot's source with this address, or of all of its sources. */
export async function noteResult(
  { query }: Session,
  bot: string,
  result: Partial<SourceResult>,
  source?: Pick<StoredSource, 'type' | 'url'>,
): Promise<void> {
  let rows = query.updateTable('bot_sources').set(result).where('bot', '=', bot);
  if (source) rows = rows.where('type', '=', source.type).where('url', '=', source.url);
  await rows.execute();
}

export async function deleteSource({ query }: Session, id: number): Promise<void> {
  await query.deleteFrom('bot_sources').where('id', '=', id).execute();
}

/** Deletes the bot's sources, or only its direct link to this address. */
export async function deleteSources({ query }: Session, bot: string, link?: string): Promise<void> {
  let rows = query.deleteFrom('bot_sources').where('bot', '=', bot);
  if (link !== undefined) rows = rows.where('type', '=', 'direct_link').where('url', '=', link);
  await rows.execute();
}

/** The bots with sources whose sync is due. */
export async function listDueBots({ query }: Session, now: number): Promise<BotRow[]> {
  return query
    .selectFrom('bots')
    .selectAll()
    .where('state', '=', 'ready')
    .where('sync_every', 'is not', null)
    .where('sync_due_at', '<=', now)
    .where('id', 'in', (nested) => nested.selectFrom('bot_sources').select('bot'))
    .orderBy('sync_due_at')
    .execute();
}

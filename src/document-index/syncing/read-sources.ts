import type { BotSource, BotSources, SourceCounts } from '../../contracts/document-index/bot-sources.ts';
import { fromJson } from '../../platform/database/json-column.ts';
import { sourceJson } from '../commands/new-documents.ts';
import type { IndexDependencies } from '../index-dependencies.ts';
import { listDocuments } from '../records/documents-store.ts';
import { requireBot } from '../records/find-bot.ts';
import { listSources } from '../records/sources-store.ts';
import type { StoredSource } from '../tables.ts';

/** The sources of a bot, in the order in which they were named. Throws `NotFound`. */
export async function readSources(
  { database }: Pick<IndexDependencies, 'database'>,
  bot: string,
): Promise<BotSources> {
  const { sync_due_at } = await requireBot(database, bot);
  const active = await listDocuments(database, bot, { states: ['active'] });
  const documents = Map.groupBy(active, ({ source_json }) => source_json);
  return (await listSources(database, bot)).map((row) => ({
    id: Number(row.id),
    type: row.type,
    url: row.url,
    created_at: timestamp(row.created_at),
    documents: documents.get(sourceJson(row.type, row.url))?.length ?? 0,
    last_sync: lastSync(row),
    next_sync: sync_due_at === null ? null : timestamp(sync_due_at),
    error: row.error,
  }));
}

function lastSync({ synced_at, counts_json }: StoredSource): BotSource['last_sync'] {
  const counts = fromJson<SourceCounts>(counts_json);
  return synced_at === null || !counts ? null : { at: timestamp(synced_at), ...counts };
}

const timestamp = (time: number) => new Date(Number(time)).toISOString();

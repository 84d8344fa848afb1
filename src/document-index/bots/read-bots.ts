import type { BotRecord } from '../../contracts/document-index/bots.ts';
import type { WorkItem } from '../../platform/queue/work-item.ts';
import { reembedKind } from '../command-work.ts';
import type { IndexDependencies } from '../index-dependencies.ts';
import { listBots } from '../records/bots-store.ts';
import { type ActiveDocument, listActive } from '../records/documents-store.ts';
import { requireBot } from '../records/find-bot.ts';
import { listSources } from '../records/sources-store.ts';
import type { BotRow } from '../tables.ts';
import { describeBot } from './bot-record.ts';
import { describeEmptyBot, type EmptyBot } from './empty-bot.ts';

type Reading = Pick<IndexDependencies, 'database' | 'queue'>;

export interface BotWithDocuments {
  row: BotRow;
  record: BotRecord;
  documents: ActiveDocument[];
  /** Where it has no documents. */
  empty: EmptyBot | undefined;
}

/** Throws `NotFound`. */
export async function readBot(deps: Reading, id: string): Promise<BotWithDocuments> {
  const row = await requireBot(deps.database, id);
  const documents = await listActive(deps.database, id);
  const reembedding = await reembeddings(deps, id);
  const sources = await listSources(deps.database, id);
  const empty = documents.length === 0 ? await describeEmptyBot(deps, id) : undefined;
  const record = describeBot({ row, documents, sources, empty, reembedding: reembedding.get(id) });
  return { row, documents, empty, record };
}

/** By id. */
export async function readBots(deps: Reading): Promise<BotWithDocuments[]> {
  const rows = (await listBots(deps.database)).filter(({ state }) => state !== 'deleting');
  const documents = Map.groupBy(await listActive(deps.database), ({ bot }) => bot);
  const reembedding = await reembeddings(deps);
  const sources = Map.groupBy(await listSources(deps.database), ({ bot }) => bot);
  const found: BotWithDocuments[] = [];
  for (const row of rows) {
    const own = documents.get(row.id) ?? [];
    const empty = own.length === 0 ? await describeEmptyBot(deps, row.id) : undefined;
    const more = { sources: sources.get(row.id) ?? [], empty, reembedding: reembedding.get(row.id) };
    found.push({ row, documents: own, empty, record: describeBot({ row, documents: own, ...more }) });
  }
  return found;
}

async function reembeddings({ queue }: Reading, subject?: string): Promise<Map<string | null, WorkItem>> {
  const items = await queue.list({
    kinds: [reembedKind],
    states: ['CREATED', 'RUNNING'],
    ...(subject === undefined ? {} : { subject }),
  });
  return new Map(items.map((item) => [item.subject, item]));
}

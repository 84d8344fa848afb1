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

type Reading = Pick<IndexDependencies, 'database' | 'queue'>;

export interface BotWithDocuments {
  row: BotRow;
  record: BotRecord;
  documents: ActiveDocument[];
}

/** Throws `NotFound`. */
export async function readBot(deps: Reading, id: string): Promise<BotWithDocuments> {
  const row = await requireBot(deps.database, id);
  const documents = await listActive(deps.database, id);
  const reembedding = await reembeddings(deps, id);
  const sources = await listSources(deps.database, id);
  return {
    row,
    documents,
    record: describeBot({ row, documents, sources, reembedding: reembedding.get(id) }),
  };
}

/** By id. */
export async function readBots(deps: Reading): Promise<BotWithDocuments[]> {
  const rows = (await listBots(deps.database)).filter(({ state }) => state !== 'deleting');
  const documents = Map.groupBy(await listActive(deps.database), ({ bot }) => bot);
  const reembedding = await reembeddings(deps);
  const sources = Map.groupBy(await listSources(deps.database), ({ bot }) => bot);
  return rows.map((row) => {
    const own = documents.get(row.id) ?? [];
    const more = { sources: sources.get(row.id) ?? [], reembedding: reembedding.get(row.id) };
    return { row, documents: own, record: describeBot({ row, documents: own, ...more }) };
  });
}

async function reembeddings({ queue }: Reading, subject?: string): Promise<Map<string | null, WorkItem>> {
  const items = await queue.list({
    kinds: [reembedKind],
    states: ['CREATED', 'RUNNING'],
    ...(subject === undefined ? {} : { subject }),
  });
  return new Map(items.map((item) => [item.subject, item]));
}

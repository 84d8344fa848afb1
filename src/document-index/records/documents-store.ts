import type { Session } from '../../platform/database/database.ts';
import type { BotDocumentRow, NewDocument, StoredDocument } from '../tables.ts';

type DocumentState = BotDocumentRow['state'];

/** PostgreSQL takes 65,535 parameters per statement. */
const rowsPerInsert = 500;

export async function insertDocuments({ query }: Session, rows: readonly NewDocument[]): Promise<void> {
  for (let start = 0; start < rows.length; start += rowsPerInsert) {
    await query
      .insertInto('bot_documents')
      .values(rows.slice(start, start + rowsPerInsert))
      .execute();
  }
}

interface DocumentFilter {
  states?: readonly DocumentState[];
  name?: string;
  command?: string;
}

/** In the order in which they were inserted. */
export async function listDocuments(
  { query }: Session,
  bot: string,
  { states, name, command }: DocumentFilter = {},
): Promise<StoredDocument[]> {
  let rows = query.selectFrom('bot_documents').selectAll().where('bot', '=', bot);
  if (states) rows = rows.where('state', 'in', states);
  if (name !== undefined) rows = rows.where('name', '=', name);
  if (command !== undefined) rows = rows.where('command', '=', command);
  return rows.orderBy('id').execute();
}

/** The rows of all bots that are neither in the index nor the record of a failure. */
export async function listUnsettled({ query }: Session): Promise<Pick<StoredDocument, 'bot' | 'command'>[]> {
  return query
    .selectFrom('bot_documents')
    .select(['bot', 'command'])
    .distinct()
    .where('state', 'not in', ['active', 'error'])
    .execute();
}

export async function countDocuments({ query }: Session, bot: string): Promise<number> {
  const { count } = await query
    .selectFrom('bot_documents')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('bot', '=', bot)
    .where('state', 'in', ['active', 'pending', 'processing', 'built'])
    .executeTakeFirstOrThrow();
  return Number(count);
}

export interface ActiveDocument {
  bot: string;
  name: string;
  url: string | null;
  languages_json: string;
  chunks: number | null;
}

/** What bot records show of the documents that answer, by name. */
export async function listActive({ query }: Session, bot?: string): Promise<ActiveDocument[]> {
  let rows = query
    .selectFrom('bot_documents')
    .select(['bot', 'name', 'url', 'languages_json', 'chunks'])
    .where('state', '=', 'active');
  if (bot !== undefined) rows = rows.where('bot', '=', bot);
  return rows.orderBy('name').execute();
}

export async function updateDocuments(
  { query }: Session,
  ids: readonly number[],
  changes: Partial<Omit<StoredDocument, 'id' | 'bot'>>,
): Promise<void> {
  for (let start = 0; start < ids.length; start += 10_000) {
    await query
      .updateTable('bot_documents')
      .set(changes)
      .where('id', 'in', ids.slice(start, start + 10_000))
      .execute();
  }
}

export async function deleteDocumentRows({ query }: Session, ids: readonly number[]): Promise<void> {
  for (let start = 0; start < ids.length; start += 10_000) {
    await query
      .deleteFrom('bot_documents')
      .where('id', 'in', ids.slice(start, start + 10_000))
      .execute();
  }
}

/** The bots that have documents to answer from. */
export async function listAnswering({ query }: Session): Promise<Set<string>> {
  const rows = await query
    .selectFrom('bot_documents')
    .select('bot')
    .distinct()
    .where('state', '=', 'active')
    .execute();
  return new Set(rows.map(({ bot }) => bot));
}

/** How many documents of a bot could not be indexed, and the first of them. */
export async function findFailures(
  { query }: Session,
  bot: string,
): Promise<{ count: number; first: Pick<StoredDocument, 'name' | 'error'> | undefined }> {
  const failed = query.selectFrom('bot_documents').where('bot', '=', bot).where('state', '=', 'error');
  const { count } = await failed
    .select((row) => row.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  const first = await failed.select(['name', 'error']).orderBy('id').limit(1).executeTakeFirst();
  return { count: Number(count), first };
}

/** Chunks of versions, by version. */
export async function countChunks({ query }: Session, bot: string): Promise<Map<number, number>> {
  const rows = await query
    .selectFrom('bot_chunks')
    .select((row) => ['document' as const, row.fn.countAll<number>().as('count')])
    .where('bot', '=', bot)
    .groupBy('document')
    .execute();
  return new Map(rows.map(({ document, count }) => [document, Number(count)]));
}

/** Every stored file that a version uses. */
export async function listBlobs({ query }: Session): Promise<Set<string>> {
  const rows = await query.selectFrom('bot_documents').select('blob').where('blob', 'is not', null).execute();
  return new Set(rows.map(({ blob }) => blob as string));
}

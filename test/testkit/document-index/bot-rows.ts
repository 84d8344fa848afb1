import { newDocument } from '../../../src/document-index/commands/new-documents.ts';
import type { StoredVersion } from '../../../src/document-index/ingestion/versions/versions-store.ts';
import type { BotDocumentRow } from '../../../src/document-index/tables.ts';
import type { Database } from '../../../src/platform/database/database.ts';
import type { TermCounts } from '../../../src/platform/vectors/vector-store.ts';
import { termCounts } from '../stores/vectors.ts';

/** Adds a bot, unless there is one with this id. */
export async function addBot(
  database: Database,
  id: string,
  model?: { name: string; dimensions: number },
): Promise<void> {
  const row = {
    id,
    state: 'ready' as const,
    creator: 'test',
    user_story: '',
    hello_text: '',
    retrive_n: 30,
    support_n: 6,
    example_questions_json: '[]',
    collection: id,
    embeddings_model: model?.name ?? null,
    dimensions: model?.dimensions ?? null,
    notes_json: '[]',
    created_at: 0,
    changed_at: 0,
  };
  await database.query
    .insertInto('bots')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Adds a version of a document, and returns its id. */
export async function addVersion(
  database: Database,
  row: Partial<Omit<BotDocumentRow, 'id'>> & Pick<BotDocumentRow, 'bot' | 'name'>,
): Promise<number> {
  const owner = { bot: row.bot, command: '', now: 0 };
  const { id } = await database.query
    .insertInto('bot_documents')
    .values(newDocument(owner, { command: null, ...row }))
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export const versionOf = (database: Database, id: number): Promise<StoredVersion | undefined> =>
  database.query.selectFrom('bot_documents').selectAll().where('id', '=', id).executeTakeFirst();

/** Words as terms, without stems. */
export function countTerms(text: string): TermCounts {
  const counts = new Map<number, number>();
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    let hash = 7;
    for (const character of word) hash = (Math.imul(hash, 31) + (character.codePointAt(0) ?? 0)) >>> 0;
    counts.set(hash, (counts.get(hash) ?? 0) + 1);
  }
  return termCounts(counts);
}

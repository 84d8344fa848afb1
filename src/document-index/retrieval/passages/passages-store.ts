import type { PassageSegment } from '../../../contracts/retrieval.ts';
import type { Session } from '../../../platform/database/database.ts';
import { fromJson } from '../../../platform/database/json-column.ts';

/** A chunk of a version that answers, with its document. */
export interface FoundChunk {
  id: number;
  version: number;
  position: number;
  text: string;
  context: string;
  headings: string[];
  markdown: string | null;
  page: number | null;
  segments: PassageSegment[];
  language: string | null;
  document: {
    name: string;
    title: string | null;
    url: string | null;
    type: string | null;
    source_json: string | null;
    pages: number | null;
  };
}

/** Versions whose points must not be found: not complete yet, or being removed. */
export async function hiddenVersions(session: Session, bot: string): Promise<number[]> {
  const rows = await session.query
    .selectFrom('bot_documents')
    .select('id')
    .where('bot', '=', bot)
    .where('state', '!=', 'active')
    .execute();
  return rows.map(({ id }) => id);
}

/** Whether a bot has text that can be found. */
export async function hasChunks(session: Session, bot: string): Promise<boolean> {
  const chunk = await session.query
    .selectFrom('bot_chunks')
    .innerJoin('bot_documents', 'bot_documents.id', 'bot_chunks.document')
    .select('bot_chunks.id')
    .where('bot_documents.bot', '=', bot)
    .where('bot_documents.state', '=', 'active')
    .limit(1)
    .executeTakeFirst();
  return chunk !== undefined;
}

/** The chunks that still answer; a document may have been removed since they were found. */
export async function chunksById(
  session: Session,
  bot: string,
  ids: readonly number[],
): Promise<FoundChunk[]> {
  if (ids.length === 0) return [];
  const rows = await session.query
    .selectFrom('bot_chunks')
    .innerJoin('bot_documents', 'bot_documents.id', 'bot_chunks.document')
    .select([
      'bot_chunks.id',
      'bot_chunks.document as version',
      'bot_chunks.position',
      'bot_chunks.text',
      'bot_chunks.context',
      'bot_chunks.headings_json',
      'bot_chunks.markdown',
      'bot_chunks.page',
      'bot_chunks.segments_json',
      'bot_chunks.language',
      'bot_documents.name',
      'bot_documents.title',
      'bot_documents.url',
      'bot_documents.type',
      'bot_documents.source_json',
      'bot_documents.pages',
    ])
    .where('bot_chunks.bot', '=', bot)
    .where('bot_chunks.id', 'in', ids)
    .where('bot_documents.state', '=', 'active')
    .execute();
  return rows.map(({ headings_json, segments_json, name, title, url, type, source_json, pages, ...row }) => ({
    ...row,
    headings: fromJson<string[]>(headings_json),
    segments: fromJson<PassageSegment[]>(segments_json),
    document: { name, title, url, type, source_json, pages },
  }));
}

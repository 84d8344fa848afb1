import type { SearchResponse } from '../../contracts/document-index/search.ts';
import type { BotQuery, Found } from '../../contracts/retrieval.ts';

export interface SearchDependencies {
  search(bot: string, query: BotQuery): Promise<Found>;
}

interface PassageQuery {
  bot: string;
  question: string;
  limit?: number | undefined;
  signal: AbortSignal;
  requestId: string;
}

/** The passages of a bot that fit a question best, as the API shows them. */
export async function searchPassages(
  { search }: SearchDependencies,
  { bot, question, limit, signal, requestId }: PassageQuery,
): Promise<SearchResponse> {
  const query = { question, credentials: 'platform' as const, signal, requestId };
  const found = await search(bot, limit === undefined ? query : { ...query, limit });
  const { answerable, confidence, language } = found;
  const passages = found.passages.map(
    ({ document, page, segments, headings, text, markdown, language: of, score }) => ({
      document: document.name,
      title: document.title,
      uri: document.uri,
      page,
      last_page: segments?.at(-1)?.page ?? page,
      headings,
      text,
      markdown,
      language: of,
      score,
    }),
  );
  return { passages, answerable, confidence, language };
}

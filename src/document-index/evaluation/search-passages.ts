import type { SearchResponse } from '../../contracts/document-index/search.ts';
import type { Credentials } from '../../platform/inference/sending/call-options.ts';

export interface SearchDependencies {
  search(
    bot: string,
    query: {
      question: string;
      limit?: number;
      credentials: Credentials;
      signal: AbortSignal;
      requestId?: string | undefined;
    },
  ): Promise<{
    passages: readonly {
      document: { name: string; title: string; uri: string };
      text: string;
      markdown: string;
      headings: string[];
      page: number | null;
      segments?: readonly { page: number | null }[];
      language: string | null;
      score: number;
    }[];
    confidence: number;
    answerable: boolean;
    language: string;
  }>;
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

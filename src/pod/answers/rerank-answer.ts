import { randomBytes } from 'node:crypto';
import type { RerankDocument, RerankRequest, RerankResponse } from '../../contracts/openai/rerank.ts';

interface Scored {
  scores: number[];
  promptTokens: number;
}

export const textsOf = (documents: RerankDocument[]) =>
  documents.map((document) => (typeof document === 'string' ? document : document.text));

/** Sorts by score, best first. Ties keep the order of the request. */
export function rerankAnswer(request: RerankRequest, documents: string[], scored: Scored): RerankResponse {
  const order = documents
    .map((_, index) => index)
    .sort((a, b) => scoreOf(scored, b) - scoreOf(scored, a) || a - b);
  return {
    id: `rerank-${randomBytes(12).toString('hex')}`,
    model: request.model,
    results: order.slice(0, request.top_n ?? documents.length).map((index) => ({
      index,
      relevance_score: scoreOf(scored, index),
      ...(request.return_documents ? { document: { text: documents[index] ?? '' } } : {}),
    })),
    usage: { prompt_tokens: scored.promptTokens, total_tokens: scored.promptTokens, completion_tokens: 0 },
  };
}

const scoreOf = ({ scores }: Scored, index: number) => scores[index] ?? 0;

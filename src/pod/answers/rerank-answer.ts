import { randomBytes } from 'node:crypto';
import type { RerankDocument, RerankRequest, RerankResponse } from '../../contracts/openai/rerank.ts';
import type { EmbeddingEngine } from '../engine.ts';

interface Scored {
  scores: number[];
  promptTokens: number;
}

export const textsOf = (documents: RerankDocument[]) =>
  documents.map((document) => (typeof document === 'string' ? document : document.text));

/** Best first; the order of the request where two are equal. */
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

/** An embeddings model as a reranker: how near each document is to the query, 0..1. */
export async function scoreByCosine(
  engine: EmbeddingEngine,
  query: string,
  documents: string[],
  signal: AbortSignal,
): Promise<Scored> {
  const [asked, found] = await Promise.all([
    engine.embed([query], { purpose: 'query' }, signal),
    engine.embed(documents, { purpose: 'document' }, signal),
  ]);
  const target = asked.vectors[0] ?? new Float32Array();
  return {
    scores: found.vectors.map((vector) => Math.max(0, cosine(target, vector))),
    promptTokens: asked.promptTokens + found.promptTokens,
  };
}

function cosine(a: Float32Array, b: Float32Array): number {
  let product = 0;
  let lengthA = 0;
  let lengthB = 0;
  for (let index = 0; index < a.length; index++) {
    const [x, y] = [a[index] ?? 0, b[index] ?? 0];
    product += x * y;
    lengthA += x * x;
    lengthB += y * y;
  }
  return product / (Math.sqrt(lengthA * lengthB) || 1);
}

import { BadRequest } from '../../contracts/problems.ts';
import type { EmbeddingEngine } from '../engine.ts';

/**
 * Uses an embeddings model as a reranker: scores documents by cosine similarity to the query, clamped to 0..1. A
 * document that is too long is truncated and an empty one scores 0, so that neither fails the request.
 */
export async function scoreByCosine(
  engine: EmbeddingEngine,
  query: string,
  documents: string[],
  signal: AbortSignal,
): Promise<{ scores: number[]; promptTokens: number }> {
  if (query === '') throw new BadRequest('The query is empty.', { param: 'query' });
  const present = documents.filter((document) => document !== '');
  const [embeddedQuery, found] = await Promise.all([
    engine.embed([query], { purpose: 'query' }, signal),
    present.length === 0
      ? { vectors: [], promptTokens: 0 }
      : engine.embed(present, { purpose: 'document', truncate: true }, signal),
  ]);
  const target = embeddedQuery.vectors[0] as Float32Array;
  const vectors = found.vectors.values();
  return {
    scores: documents.map((document) => {
      if (document === '') return 0;
      return Math.min(1, Math.max(0, cosine(target, vectors.next().value as Float32Array)));
    }),
    promptTokens: embeddedQuery.promptTokens + found.promptTokens,
  };
}

/** Cosine similarity of two vectors, which need not be normalised. */
export function cosine(a: Float32Array, b: Float32Array): number {
  let dot = 0;
  let squareA = 0;
  let squareB = 0;
  for (let index = 0; index < a.length; index++) {
    const x = a[index] as number;
    const y = b[index] as number;
    dot += x * y;
    squareA += x * x;
    squareB += y * y;
  }
  return dot / (Math.sqrt(squareA * squareB) || 1);
}

import { BadRequest } from '../contracts/problems.ts';
import type { EmbeddingEngine } from './engine.ts';

/**
 * An embeddings model as a reranker: how near each document is to the query, from 0 (nothing in common, or less) to 1.
 * A document that is too long is cut, and an empty one scores 0: neither should fail the others.
 */
export async function scoreByCosine(
  engine: EmbeddingEngine,
  query: string,
  documents: string[],
  signal: AbortSignal,
): Promise<{ scores: number[]; promptTokens: number }> {
  if (query === '') throw new BadRequest('The query is empty.', { param: 'query' });
  const present = documents.filter((document) => document !== '');
  const [asked, found] = await Promise.all([
    engine.embed([query], { purpose: 'query' }, signal),
    present.length === 0
      ? { vectors: [], promptTokens: 0 }
      : engine.embed(present, { purpose: 'document', truncate: true }, signal),
  ]);
  const target = asked.vectors[0] as Float32Array;
  const vectors = found.vectors.values();
  return {
    scores: documents.map((document) => {
      if (document === '') return 0;
      return Math.min(1, Math.max(0, cosine(target, vectors.next().value as Float32Array)));
    }),
    promptTokens: asked.promptTokens + found.promptTokens,
  };
}

/** The cosine of the angle between two vectors of any length. */
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

import { z } from 'zod';
import type { CallOptions } from '../sending/call-options.ts';
import { briefRetries, policyOf } from '../sending/retries.ts';
import { askForJson, jsonRequest, notUnderstood, type Sender } from '../sending/send-request.ts';
import { type TokenUsage, usageField } from './usage.ts';

export interface RerankInput {
  model: string;
  query: string;
  documents: readonly string[];
  /** How many of the best to return; all unless told otherwise. */
  top?: number;
}

export interface Ranking {
  /** Best first. `index` is the document's place in the request. */
  results: { index: number; score: number }[];
  usage: TokenUsage | undefined;
}

const Answer = z.looseObject({
  results: z.array(z.looseObject({ index: z.int().min(0), relevance_score: z.number() })),
  usage: usageField,
});

/** Orders documents by how well they answer a query. */
export async function rerank(sender: Sender, input: RerankInput, options: CallOptions): Promise<Ranking> {
  const { model, query, documents, top } = input;
  if (documents.length === 0) return { results: [], usage: undefined };
  const request = jsonRequest('/v1/rerank', { model, query, documents, top_n: top });
  const answer = await askForJson(sender, request, Answer, options, policyOf(options, briefRetries));
  const seen = new Set<number>();
  for (const { index } of answer.results) {
    if (index >= documents.length || seen.has(index)) throw notUnderstood(new Error(`document ${index}`));
    seen.add(index);
  }
  const results = answer.results
    .map(({ index, relevance_score: score }) => ({ index, score }))
    .sort((a, b) => b.score - a.score)
    .slice(0, top);
  return { results, usage: answer.usage };
}

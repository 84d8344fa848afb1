import type { CohereAnswer, TextsAnswer, TextsRerank } from '../../../contracts/dispatcher/rerank-shapes.ts';
import type { RerankResponse } from '../../../contracts/openai/rerank.ts';

/** A pod's answer as Cohere's second version of the API has it. */
export function cohereAnswer({ id, results }: RerankResponse): CohereAnswer {
  return { id, results, meta: { api_version: { version: '2' }, billed_units: { search_units: 1 } } };
}

/** A pod's answer as TEI has it: a bare array, best first. */
export function textsAnswer({ results }: RerankResponse, { texts, return_text }: TextsRerank): TextsAnswer {
  return results.map(({ index, relevance_score: score }) => ({
    index,
    score,
    ...(return_text ? { text: texts[index] ?? '' } : {}),
  }));
}

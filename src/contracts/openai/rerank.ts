import { z } from 'zod';
import { list, most } from './limits.ts';
import { Usage } from './usage.ts';

/** A string, or Cohere's `{text}`. */
export const RerankDocument = z.union([z.string(), z.looseObject({ text: z.string() })], {
  error: 'must be a string or an object with the field text',
});
export type RerankDocument = z.infer<typeof RerankDocument>;

/** `POST /v1/rerank` as a pod reads it; unknown fields are kept and ignored. */
export const RerankRequest = z
  .looseObject({
    model: z.string().min(1),
    query: z.string().min(1),
    documents: list(RerankDocument, { least: 1, most: most.documents }),
    top_n: z.int().min(1).nullish(),
    return_documents: z.boolean().nullish(),
  })
  .meta({ id: 'RerankRequest' });
export type RerankRequest = z.infer<typeof RerankRequest>;

/** Results are sorted by relevance, best first. */
export const RerankResponse = z
  .looseObject({
    id: z.string(),
    model: z.string(),
    results: z.array(
      z.looseObject({
        index: z.int().min(0).describe('Index of the document in the request'),
        relevance_score: z.number(),
        document: z.looseObject({ text: z.string() }).optional().describe('Only with `return_documents`'),
      }),
    ),
    usage: Usage,
  })
  .meta({ id: 'RerankResponse' });
export type RerankResponse = z.infer<typeof RerankResponse>;

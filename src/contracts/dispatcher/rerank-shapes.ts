import { z } from 'zod';
import { RerankDocument } from '../openai/rerank.ts';

const query = z.string();
const model = z.string().min(1);
const mostDocuments = 10_000;

/** `POST /v2/rerank`, as Cohere's clients send it. */
export const CohereRerank = z
  .looseObject({
    model,
    query,
    documents: z.array(RerankDocument).max(mostDocuments),
    top_n: z.int().min(1).nullish(),
    return_documents: z.boolean().nullish(),
  })
  .meta({ id: 'CohereRerank' });
export type CohereRerank = z.infer<typeof CohereRerank>;

/** `POST /rerank` with `texts`, as clients of TEI (text-embeddings-inference) send it. */
export const TextsRerank = z
  .looseObject({
    model: model.optional().describe('Default: the only model that can rerank'),
    query,
    texts: z.array(z.string()).max(mostDocuments),
    return_text: z.boolean().nullish(),
    raw_scores: z.literal(false, 'only scores from 0 to 1 are available').nullish(),
  })
  .meta({ id: 'TextsRerank' });
export type TextsRerank = z.infer<typeof TextsRerank>;

/** `POST /rerank` with `documents`, as Jina's clients and those of vLLM send it. */
export const DocumentsRerank = CohereRerank.extend({ model: model.optional() }).meta({
  id: 'DocumentsRerank',
});
export type DocumentsRerank = z.infer<typeof DocumentsRerank>;

export const CohereAnswer = z
  .looseObject({
    id: z.string(),
    results: z.array(z.looseObject({ index: z.int(), relevance_score: z.number() })),
    meta: z.looseObject({}),
  })
  .meta({ id: 'CohereAnswer' });
export type CohereAnswer = z.infer<typeof CohereAnswer>;

export const TextsAnswer = z
  .array(z.object({ index: z.int(), score: z.number(), text: z.string().optional() }))
  .meta({ id: 'TextsAnswer' });
export type TextsAnswer = z.infer<typeof TextsAnswer>;

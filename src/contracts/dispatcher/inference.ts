import { z } from 'zod';
import { RerankDocument } from '../openai/rerank.ts';
import { TextOrTokens } from '../openai/text-or-tokens.ts';

/*
 * The fields that the dispatcher reads of a request it forwards: enough to route it and to apply defaults.
 * All other fields are forwarded unchanged and validated by the pod.
 */

const freeForm = z.looseObject({});
const generation = {
  model: z.string().min(1),
  stream: z.boolean().nullable().default(false),
  temperature: z.number().nullable().default(0),
  max_tokens: z.int().nullish(),
  tool_choice: z
    .union([z.string(), freeForm], { error: 'must be a string or an object that names a tool' })
    .nullish(),
};

export const ChatCompletion = z
  .looseObject({
    ...generation,
    messages: z.array(freeForm),
    tools: z.array(freeForm).nullish(),
  })
  .meta({ id: 'ChatCompletion' });
export type ChatCompletion = z.infer<typeof ChatCompletion>;

export const Completion = z.looseObject({ ...generation, prompt: TextOrTokens }).meta({ id: 'Completion' });
export type Completion = z.infer<typeof Completion>;

export const Embeddings = z
  .looseObject({
    model: z.string().min(1),
    input: TextOrTokens,
    encoding_format: z.string().nullable().default('float'),
  })
  .meta({ id: 'Embeddings' });
export type Embeddings = z.infer<typeof Embeddings>;

export const Rerank = z
  .looseObject({
    model: z.string().min(1),
    query: z.string(),
    documents: z.array(RerankDocument),
    return_documents: z.boolean().nullish(),
    top_n: z.int().nullish(),
  })
  .meta({ id: 'Rerank' });
export type Rerank = z.infer<typeof Rerank>;

import { z } from 'zod';
import { TextOrTokens } from './text-or-tokens.ts';
import { answerFields, Usage } from './usage.ts';

/** `POST /v1/embeddings` as a pod reads it; unknown fields are kept and ignored. */
export const EmbeddingRequest = z
  .looseObject({
    model: z.string().min(1),
    input: TextOrTokens,
    encoding_format: z.enum(['float', 'base64']).nullable().default('float'),
    dimensions: z.int().min(1).nullish(),
    user: z.string().nullish(),
  })
  .meta({ id: 'EmbeddingRequest' });
export type EmbeddingRequest = z.infer<typeof EmbeddingRequest>;

export const EmbeddingResponse = z
  .looseObject({
    ...answerFields,
    object: z.literal('list'),
    data: z.array(
      z.looseObject({
        index: z.int().min(0),
        object: z.literal('embedding'),
        embedding: z
          .union([z.array(z.number()), z.string()])
          .describe('Numbers, or little-endian 32-bit floats as Base64'),
      }),
    ),
    usage: Usage,
  })
  .meta({ id: 'EmbeddingResponse' });
export type EmbeddingResponse = z.infer<typeof EmbeddingResponse>;

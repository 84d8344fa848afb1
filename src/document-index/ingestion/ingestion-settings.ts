import { z } from 'zod';

/** Fields of the section `index`. */
export const ingestionFields = {
  embeddings_model: z
    .string()
    .min(1)
    .max(512)
    .optional()
    .describe('Model that embeds documents. Default: what the embeddings slot serves.'),
  chunk_characters: z
    .int()
    .min(200)
    .max(8_000)
    .default(1_200)
    .describe(
      'Longest passage of a document, in characters. Applies to documents that are indexed from then on.',
    ),
  table_characters: z
    .int()
    .min(200)
    .max(32_000)
    .default(3_000)
    .describe('Longest table that stays in one passage; longer ones are split between rows.'),
  sentence_vectors: z
    .boolean()
    .default(true)
    .describe(
      'Whether each sentence is embedded, too, which finds answers better and takes several times as many calls of the model.',
    ),
};

export type IngestionSettings = z.output<z.ZodObject<typeof ingestionFields>>;

import { z } from 'zod';

/** `POST /indexapi/bot/{bot_id}/search`: retrieval without an answer. */
export const SearchRequest = z
  .strictObject({
    question: z
      .string()
      .max(32_000)
      .refine((text) => text.trim() !== '', 'must not be empty'),
    limit: z.int().min(1).max(100).optional().describe("Number of passages. Default: the bot's `support_n`"),
  })
  .meta({ id: 'SearchRequest' });
export type SearchRequest = z.infer<typeof SearchRequest>;

export const FoundPassage = z
  .object({
    document: z.string().describe('Name of the document'),
    title: z.string(),
    uri: z.string(),
    page: z.int().nullable().describe('The page on which the passage begins'),
    last_page: z.int().nullable().optional().describe('The page on which it ends'),
    headings: z.array(z.string()),
    text: z.string(),
    markdown: z.string().describe('The same with tables as Markdown'),
    language: z.string().nullable().describe('ISO 639-3'),
    score: z.number(),
  })
  .meta({ id: 'FoundPassage' });
export type FoundPassage = z.infer<typeof FoundPassage>;

export const SearchResponse = z
  .object({
    passages: z.array(FoundPassage).describe('Best first'),
    answerable: z.boolean().describe('Whether the bot would answer the question from these passages'),
    confidence: z.number().describe('0 to 1'),
    language: z.string().describe('Language of the question, ISO 639-3'),
  })
  .meta({ id: 'SearchResponse' });
export type SearchResponse = z.infer<typeof SearchResponse>;

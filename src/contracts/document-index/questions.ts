import { z } from 'zod';
import { Usage } from '../openai/usage.ts';

/** `POST /v.1.0/<bot_id>`. */
export const Question = z
  .strictObject({
    question: z
      .string()
      .max(32_000)
      .refine((text) => text.trim() !== '', 'must not be empty'),
    history: z
      .array(z.strictObject({ role: z.enum(['user', 'assistant']), content: z.string() }))
      .max(200)
      .default([])
      .describe('Earlier turns, oldest first'),
    stream: z.boolean().default(false),
  })
  .meta({ id: 'Question' });
export type Question = z.infer<typeof Question>;

const box = z
  .object({ page: z.int(), left: z.number(), top: z.number(), right: z.number(), bottom: z.number() })
  .describe('In points (1/72 inch) from the top left corner of the page');

export const Citation = z
  .object({
    title: z.string(),
    uri: z.string(),
    page: z.int().nullable(),
    passage_md: z.string(),
    score: z.number(),
    quote: z.string().describe('Appears verbatim in the document, on that page'),
    boxes: z.array(box),
  })
  .meta({ id: 'Citation' });
export type Citation = z.infer<typeof Citation>;

export const Answer = z
  .object({
    id: z.string().optional().describe('For feedback on this answer'),
    answer: z.string(),
    summary: z.string().describe('The same as `answer`'),
    documents: z.array(Citation),
    relevant_questions: z.array(z.string()),
    usage: Usage,
  })
  .meta({ id: 'Answer' });
export type Answer = z.infer<typeof Answer>;

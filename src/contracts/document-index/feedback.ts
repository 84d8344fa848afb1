import { z } from 'zod';
import { TextInteger, Timestamp } from '../fields.ts';
import { BotRecord } from './bots.ts';
import { Citation } from './questions.ts';

/** `POST /v.1.0/<bot_id>/feedback`. */
export const Feedback = z
  .strictObject({
    answer_id: z.string().min(1).max(100).describe('`id` of the answer'),
    rating: z.union([z.enum(['up', 'down']), z.number().min(-1).max(1)]).describe('`up` is 1, `down` is -1'),
    comment: z.string().max(4_000).optional(),
  })
  .meta({ id: 'Feedback' });
export type Feedback = z.infer<typeof Feedback>;

export const FeedbackEntry = z
  .object({
    answer_id: z.string(),
    rating: z.number().min(-1).max(1),
    comment: z.string().nullable(),
    rated_at: Timestamp,
    question: z.string(),
    earlier_questions: z.array(z.string()).describe('Of the same conversation, oldest first'),
    answer: z.string(),
    documents: z.array(Citation.extend({ document: z.string().describe('Name of the document') })),
    passages: z
      .array(z.object({ document: z.string(), page: z.int().nullable(), text: z.string() }))
      .describe('The passages that the answer was made from'),
    asked_at: Timestamp,
  })
  .meta({ id: 'FeedbackEntry' });
export type FeedbackEntry = z.infer<typeof FeedbackEntry>;

export const FeedbackList = z
  .object({
    feedback: z.array(FeedbackEntry).describe('Newest first'),
    next: z.string().nullable().describe('`before` for the next page; null on the last one'),
  })
  .meta({ id: 'FeedbackList' });
export type FeedbackList = z.infer<typeof FeedbackList>;

export const FeedbackQuery = z.strictObject({
  format: z
    .enum(['json', 'messages', 'questions'])
    .default('json')
    .describe(
      '`messages`: a fine-tuning data set of the answers rated above 0, as JSON lines. `questions`: regression questions from the same answers',
    ),
  limit: TextInteger.pipe(z.int().min(1).max(1000)).default(100).meta({
    type: 'integer',
    minimum: 1,
    maximum: 1000,
    default: 100,
    description: 'Maximum number of entries of `json`. Default: 100',
  }),
  before: z.string().max(100).optional().describe('Continue a list: `next` of the page before'),
});
export type FeedbackQuery = z.infer<typeof FeedbackQuery>;

/** `GET /v.1.0/<bot_id>`: what a page shows before the first question. */
export const BotGreeting = z
  .object({
    name: z.string(),
    hello_text: z.string().describe('Sanitised HTML'),
    example_questions: z.array(z.string()),
    ready: z.boolean().describe('Whether it has documents that can be searched'),
    status: BotRecord.shape.status,
    problem: z
      .string()
      .nullable()
      .describe('Why it can never answer as it is; null while it is ready or being indexed'),
    languages: z.array(z.string()).describe('Of its documents, ISO 639-3, the most frequent first'),
  })
  .meta({ id: 'BotGreeting' });
export type BotGreeting = z.infer<typeof BotGreeting>;

export const StoredDocument = z
  .object({ filename: z.string(), uri: z.string(), bytes: z.int(), sha256: z.string() })
  .meta({ id: 'StoredDocument' });
export type StoredDocument = z.infer<typeof StoredDocument>;

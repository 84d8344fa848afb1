import { z } from 'zod';
import { SyncEvery } from './sync.ts';

/** `botsinfo` is the service collection; the others are path segments, or what clients send for an empty variable. */
const reserved = new Set([
  'botsinfo',
  'bot',
  'bots',
  'preview',
  'assets',
  'docs',
  'new',
  'null',
  'undefined',
]);

export const BotId = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9_-]{0,62}$/,
    'must be 1 to 63 characters of a-z, 0-9, _ and -, starting with a letter or digit',
  )
  .refine((id) => !reserved.has(id), 'is a reserved word');
export type BotId = z.infer<typeof BotId>;

export const BotPath = z.object({ bot_id: BotId });
export type BotPath = z.infer<typeof BotPath>;

/** The same identifier, under the name that the status endpoints use. */
export const IndexPath = z.object({ index_id: BotId });
export type IndexPath = z.infer<typeof IndexPath>;

/** `retrive_n` is spelled as in the specification. */
const settings = {
  hello_text: z.string().max(20_000).describe('HTML; scripts are removed'),
  retrive_n: z.int().min(1).max(1000).describe('Number of candidate passages to retrieve'),
  support_n: z.int().min(1).max(100).describe('Number of passages passed to the model'),
  example_questions: z.array(z.string().min(1).max(1000)).max(50),
  user_story: z.string().max(20_000).describe('Who uses the bot and what matters in its answers'),
};

export const BotRecord = z
  .object({
    name: z.string(),
    ...settings,
    bot_creator_credentials: z.string().describe('Name of the key that created the bot'),
    files: z.array(z.string()).describe('Document URLs'),
    sources: z
      .array(z.object({ type: z.string(), url: z.string() }))
      .optional()
      .describe('Where its documents come from, without credentials'),
    sync_every: z.int().nullable().optional().describe('Seconds between syncs with the sources'),
    status: z
      .enum(['creating', 'ready', 'failed', 'empty', 'deleting'])
      .optional()
      .describe(
        '`creating` until its first documents can be searched; `failed`: none of them could be indexed; `empty`: it has none',
      ),
    notes: z
      .array(z.string())
      .optional()
      .describe('What the operator should know, such as why it failed, or embedding that is under way'),
  })
  .meta({ id: 'BotRecord' });
export type BotRecord = z.infer<typeof BotRecord>;

export const BotRecords = z.record(z.string(), BotRecord).meta({ id: 'BotRecords' });
export type BotRecords = z.infer<typeof BotRecords>;

/** Only the given fields change. */
export const BotChange = z
  .strictObject({ ...settings, sync_every: SyncEvery.nullable() })
  .partial()
  .refine((change) => Object.values(change).some((value) => value !== undefined), 'must change something')
  .meta({ id: 'BotChange' });
export type BotChange = z.infer<typeof BotChange>;

export const botDefaults = { retrive_n: 30, support_n: 6 };

/** A question whose answer is checked after every change of the bot. */
export const RegressionQuestion = z
  .strictObject({
    question: z.string().trim().min(1).max(32_000),
    answer: z.string().max(32_000).nullable().default(null).describe('Null: the bot should refuse'),
    document: z.string().max(1024).nullable().default(null).describe('Name of the document to cite'),
    page: z.int().min(1).nullable().default(null),
  })
  .meta({ id: 'RegressionQuestion' });
export type RegressionQuestion = z.infer<typeof RegressionQuestion>;

export const RegressionQuestions = z
  .strictObject({ questions: z.array(RegressionQuestion).max(1000) })
  .meta({ id: 'RegressionQuestions' });
export type RegressionQuestions = z.infer<typeof RegressionQuestions>;

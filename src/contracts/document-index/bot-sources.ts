import { z } from 'zod';
import { TextFlag, TextInteger, Timestamp } from '../fields.ts';
import { BotId } from './bots.ts';

const count = z.int().min(0);

/** What the last sync of a source did. */
export const SourceCounts = z
  .object({ added: count, updated: count, removed: count, unchanged: count, failed: count })
  .meta({ id: 'SourceCounts' });
export type SourceCounts = z.infer<typeof SourceCounts>;

/** A place that documents of a bot come from. */
export const BotSource = z
  .object({
    id: z.int(),
    type: z.string(),
    url: z.string().describe('Without passwords, tokens and signatures'),
    created_at: Timestamp,
    documents: count.describe('Documents from this source that the bot answers from'),
    last_sync: SourceCounts.extend({ at: Timestamp })
      .nullable()
      .describe('The last time that the source was listed; the first is when it was added'),
    next_sync: Timestamp.nullable().describe('Null where the bot is not synced regularly'),
    error: z.string().nullable().describe('Why the source, or a part of it, could not be listed then'),
  })
  .meta({ id: 'BotSource' });
export type BotSource = z.infer<typeof BotSource>;

export const BotSources = z.array(BotSource).meta({ id: 'BotSources' });
export type BotSources = z.infer<typeof BotSources>;

export const BotSourcePath = z.object({ bot_id: BotId, source_id: TextInteger });
export type BotSourcePath = z.infer<typeof BotSourcePath>;

export const SourceRemoval = z.object({
  keep_documents: TextFlag.describe('Keep the documents of the source; they are no longer synced'),
});
export type SourceRemoval = z.infer<typeof SourceRemoval>;

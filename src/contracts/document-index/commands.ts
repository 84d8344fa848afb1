import { z } from 'zod';
import { Timestamp } from '../fields.ts';
import { BotId } from './bots.ts';

export const CommandAccepted = z.object({ command_id: z.string() }).meta({ id: 'CommandAccepted' });
export type CommandAccepted = z.infer<typeof CommandAccepted>;

export const CommandState = z
  .enum(['pending', 'processing', 'complete', 'error', 'canceled'])
  .meta({ id: 'CommandState' });
export type CommandState = z.infer<typeof CommandState>;

export const CommandType = z.enum([
  'create_bot',
  'delete_bot',
  'add_document',
  'delete_document',
  'sync_bot',
  'remove_source',
]);
export type CommandType = z.infer<typeof CommandType>;

const counts = z.object({ total: z.int().min(0), complete: z.int().min(0) });

export const CommandProgress = z
  .object({
    documents: counts.describe('Progress in documents'),
    current_document: counts.describe('Progress in chunks of the current document'),
  })
  .meta({ id: 'CommandProgress' });
export type CommandProgress = z.infer<typeof CommandProgress>;

/** The bot's regression questions after the change. */
export const RegressionResult = z
  .object({
    questions: z.int().min(0),
    passed: z.int().min(0),
    worse: z
      .array(z.object({ question: z.string(), reason: z.string() }))
      .describe('Questions that passed before the change and no longer do'),
    error: z.string().optional().describe('Why the questions could not be put'),
  })
  .meta({ id: 'RegressionResult' });
export type RegressionResult = z.infer<typeof RegressionResult>;

/** The outcome for each document; `deleted` counts what a deletion or an update removed. */
export const CommandResult = z
  .object({
    added: z.array(z.string()),
    skipped: z.array(z.object({ name: z.string(), reason: z.string() })),
    failed: z.array(z.object({ name: z.string(), error: z.string() })),
    warnings: z
      .array(z.object({ name: z.string(), warning: z.string() }))
      .optional()
      .describe('Documents that were indexed, but not as they should be'),
    deleted: z
      .object({ chunks: z.int(), vectors: z.int(), full_text_entries: z.int(), files: z.int() })
      .optional(),
    removed: z
      .array(z.string())
      .optional()
      .describe('Documents that their source no longer has, or that were deleted with their source'),
    unchanged: z.int().optional().describe('Of a sync: number of documents that did not change'),
    regression: RegressionResult.optional(),
  })
  .meta({ id: 'CommandResult' });
export type CommandResult = z.infer<typeof CommandResult>;

const commandFields = {
  status: CommandState,
  progress: CommandProgress.optional().describe('Present only while documents are being indexed'),
  type: CommandType,
  created_at: Timestamp,
  started_at: Timestamp.nullable(),
  finished_at: Timestamp.nullable(),
  error: z.string().nullable(),
  result: CommandResult.nullable(),
};

export const CommandListEntry = z.object(commandFields).meta({ id: 'CommandListEntry' });
export type CommandListEntry = z.infer<typeof CommandListEntry>;

export const CommandList = z.record(z.string(), CommandListEntry).meta({ id: 'CommandList' });
export type CommandList = z.infer<typeof CommandList>;

export const CommandStatus = z.object(commandFields).meta({ id: 'CommandStatus' });
export type CommandStatus = z.infer<typeof CommandStatus>;

export const CommandPath = z.object({ index_id: BotId, command_id: z.string().min(1) });
export type CommandPath = z.infer<typeof CommandPath>;

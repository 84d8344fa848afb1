import { z } from 'zod';
import { TextInteger, Timestamp } from '../fields.ts';

/** All recorded actions. Each verb that changes something adds its own here. */
export const AuditAction = z
  .enum([
    'account.approve',
    'account.close',
    'account.register',
    'bot.change',
    'bot.create',
    'bot.delete',
    'bot.questions',
    'bot.sync',
    'command.cancel',
    'dataset.delete',
    'dataset.upload',
    'deployment.interrupt',
    'deployment.start',
    'document.add',
    'document.delete',
    'document.remove',
    'document.store',
    'finetune.finish',
    'finetune.interrupt',
    'finetune.start',
    'job.interrupt',
    'key.create',
    'key.replace',
    'key.revoke',
    'key.rotate',
    'key.update',
    'model.add',
    'model.import',
    'model.remove',
    'pods.create',
    'pods.deploy',
    'source.remove',
  ])
  .meta({ id: 'AuditAction' });
export type AuditAction = z.infer<typeof AuditAction>;

export const AuditOutcome = z
  .enum(['done', 'accepted'])
  .describe('`done`: the change was made. `accepted`: a job makes the change and reports its outcome')
  .meta({ id: 'AuditOutcome' });
export type AuditOutcome = z.infer<typeof AuditOutcome>;

export const AuditActor = z
  .object({
    kind: z.enum(['key', 'anonymous', 'platform']),
    id: z.string().nullable().describe('Id of the key'),
    name: z.string().nullable().describe('Name of the key, or the reason why the platform acted'),
    owner: z.string().nullable().describe('Owner of the key'),
  })
  .meta({ id: 'AuditActor' });
export type AuditActor = z.infer<typeof AuditActor>;

export const AuditEntry = z
  .object({
    id: z.int().describe('Newer entries have higher ids'),
    at: Timestamp,
    actor: AuditActor,
    request_id: z.string().nullable().describe('`x-request-id` of the request'),
    // Not the enum: a newer version of the program may have written to the same database.
    action: z.string().describe('Such as `key.create`'),
    subject: z.string().describe('Target of the action: an id or a file name, at most 256 characters'),
    details: z.record(z.string(), z.unknown()).describe('Never contains secrets'),
    outcome: AuditOutcome,
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.infer<typeof AuditEntry>;

export const AuditPage = z
  .object({
    entries: z.array(AuditEntry).describe('Newest first'),
    next: z.int().nullable().describe('`before` for the next page; null on the last one'),
  })
  .meta({ id: 'AuditPage' });
export type AuditPage = z.infer<typeof AuditPage>;

export const longestAuditPage = 1000;

export const AuditQuery = z.strictObject({
  limit: TextInteger.pipe(z.int().min(1).max(longestAuditPage)).default(100).meta({
    type: 'integer',
    minimum: 1,
    maximum: longestAuditPage,
    default: 100,
    description: 'Maximum number of entries. Default: 100',
  }),
  before: TextInteger.pipe(z.int().min(1)).optional().meta({
    type: 'integer',
    minimum: 1,
    description: 'Only entries with a lower id; pass `next` of the previous page',
  }),
  action: AuditAction.optional(),
  actor: z
    .string()
    .optional()
    .describe(
      'Id or name of a key, `anonymous`, `platform`, or `platform:<reason>` such as `platform:starter`',
    ),
  subject: z.string().optional(),
  since: Timestamp.optional().describe('Entries at or after this time'),
  until: Timestamp.optional().describe('Entries before this time'),
});
export type AuditQuery = z.infer<typeof AuditQuery>;

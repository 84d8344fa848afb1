import { z } from 'zod';
import { ApiKeyLimits } from '../contracts/api-keys.ts';
import { byteSize } from '../platform/config/fields.ts';

const hosted = z.strictObject({
  registration: z
    .enum(['open', 'approval', 'closed'])
    .optional()
    .describe('Who may register for a key. Default: approval; open where auth.open is set.'),
  registrations_per_hour: z
    .int()
    .min(1)
    .default(10)
    .describe('Registrations that one network address may attempt per hour.'),
  registrations_per_hour_in_all: z
    .int()
    .min(1)
    .default(200)
    .describe('Registrations that all addresses together may attempt per hour.'),
  layout: z
    .strictObject({
      max_files: z.int().min(1).max(1000).default(64).describe('Files that one layout request may have.'),
      max_size: byteSize()
        .default(2 ** 30)
        .describe('Largest size of the files of one layout request together.'),
    })
    .prefault({}),
  limits: ApiKeyLimits.default({}).describe(
    'Limits of the keys that registration creates, such as {requests_per_minute: 60, tokens_per_month: 1000000}.',
  ),
  aliases: z
    .record(z.string().min(1).max(512), z.string().min(1).max(512))
    .default({})
    .describe(
      'Served models by the name that callers use, such as {Service-LLM: qwen3-8b}. Service-LLM, Service-Embedding and Service-ReRank default to what the slots chat, embeddings and rerank serve.',
    ),
});

export const hostedSettings = { hosted: hosted.prefault({}) };
export interface HostedSettings {
  hosted: z.output<typeof hosted>;
}

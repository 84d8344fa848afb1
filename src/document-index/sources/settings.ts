import { z } from 'zod';
import { secret, timedDuration } from '../../platform/config/fields.ts';

const sources = z.strictObject({
  max_items: z.int().min(1).default(50_000).describe('Most documents that one source may list.'),
  time_limit: timedDuration()
    .default(6 * 3_600_000)
    .describe(
      'How long the listing of one source may take. The documents of one that takes longer stay as they are.',
    ),
  drive_a: z
    .strictObject({
      endpoint: z
        .url({ protocol: /^https?$/ })
        .default('https://www.googleapis.com')
        .describe('Address of the Google Drive API, or of a server that stands in for it.'),
      credentials_path: z
        .string()
        .min(1)
        .optional()
        .meta({ variable: 'DRIVE_A_CREDENTIALS_PATH' })
        .describe('Key file of the service account that reads Google Drive (DRIVE_A_CREDENTIALS_PATH).'),
    })
    .prefault({}),
  drive_b: z
    .strictObject({
      endpoint: z
        .url({ protocol: /^https?$/ })
        .default('https://cloud-api.yandex.net')
        .describe('Address of the Yandex Disk API, or of a server that stands in for it.'),
      token: secret()
        .optional()
        .meta({ variable: 'DRIVE_B_TOKEN' })
        .describe('OAuth token that reads Yandex Disk (DRIVE_B_TOKEN).'),
    })
    .prefault({}),
});

export const sourceSettings = { sources: sources.prefault({}) };
export type SourceSettings = z.output<typeof sources>;

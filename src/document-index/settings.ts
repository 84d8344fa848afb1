import { z } from 'zod';
import { byteSize } from '../platform/config/fields.ts';
import { ingestionFields } from './ingestion/ingestion-settings.ts';

const index = z.strictObject({
  ...ingestionFields,
  max_documents: z.int().min(1).default(100_000).describe('Most documents of a bot.'),
  max_files: z.int().min(1).max(100_000).default(2_000).describe('Most files of one request.'),
  max_size: byteSize()
    .default(8 * 2 ** 30)
    .describe('Largest size of the files of one request together.'),
  parallel_commands: z
    .int()
    .min(1)
    .max(64)
    .default(2)
    .describe('Commands that index documents at the same time, each for another bot.'),
  parallel_documents: z
    .int()
    .min(1)
    .max(64)
    .default(2)
    .describe('Documents that one command prepares at the same time.'),
});

export const indexSettings = { index: index.prefault({}) };
export interface IndexSettings {
  index: z.output<typeof index>;
}

import { z } from 'zod';
import { byteSize, timedDuration } from '../platform/config/fields.ts';

const documents = z.strictObject({
  max_file_size: byteSize()
    .default(2 ** 29)
    .describe('Largest file that is read.'),
  max_output: byteSize()
    .default(2 ** 28)
    .describe('Largest result of one file.'),
  max_pages: z.int().min(1).default(3_000).describe('Most pages of a PDF file or scan.'),
  max_text: byteSize()
    .default(2 ** 28)
    .describe('Largest content of a text or office file, unpacked.'),
  time_limit: timedDuration()
    .default(300_000)
    .describe('How long a worker may take for a file, or for a few pages of one.'),
  worker_memory: byteSize()
    .default(2 ** 30)
    .describe('Memory of a worker. One that needs more is killed, which fails the file it reads.'),
  workers: z.int().min(1).max(256).optional().describe('Processes that read files. Default: one per core.'),
});

export const documentSettings = { documents: documents.prefault({}) };

export type DocumentSettings = z.output<typeof documents>;

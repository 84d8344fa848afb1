import { z } from 'zod';
import { byteSize, secret, timedDuration } from '../config/fields.ts';

const vectors = z.strictObject({
  url: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(
      'Address of a Qdrant server, such as http://127.0.0.1:6333. Empty: files in <data_dir>/vectors.',
    ),
  api_key: secret().optional().describe('Key for the Qdrant server.'),
  timeout: timedDuration()
    .default(30_000)
    .describe('How long a call to the Qdrant server may take, including retries.'),
  memory: byteSize()
    .default(2 ** 30)
    .describe(
      'Memory for open collections without Qdrant; beyond it, the least recently used ones are closed. 100,000 chunks take about 150 MB.',
    ),
  idle: timedDuration()
    .default(30 * 60_000)
    .describe('How long a collection without Qdrant stays in memory after its last use.'),
});

export const vectorSettings = { vectors: vectors.prefault({}) };

export type VectorSettings = z.output<typeof vectors>;

import { createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { DatasetDependencies } from '../../datasets/dataset-record.ts';
import { readConversations } from '../../datasets/read-datasets.ts';

/** Writes a data set as the trainer reads it: one `{"messages": …}` per line, whatever the uploaded format. */
export async function exportConversations(
  datasets: DatasetDependencies,
  id: string,
  file: string,
  signal: AbortSignal,
): Promise<void> {
  async function* lines() {
    for await (const { messages } of readConversations(datasets, id)) {
      yield `${JSON.stringify({ messages })}\n`;
    }
  }
  await pipeline(lines, createWriteStream(`${file}.partial`), { signal });
  await rename(`${file}.partial`, file);
}

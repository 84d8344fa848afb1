// A reader that never comes to an end. It leaves the number of its process beside the file.
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Task } from '../../../src/documents/workers/tasks.ts';

// biome-ignore lint/correctness/useYield: it never gets that far.
async function* readFile({ path }: { path: string }): AsyncGenerator<never, void> {
  writeFileSync(join(dirname(path), 'worker'), String(process.pid));
  for (;;);
}

export const tasks = new Map<string, Task>([['read-file', readFile]]);

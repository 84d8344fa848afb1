// Tasks for tests of the worker pool: each does to a worker what a bad file might.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { DocumentElement } from '../../../src/documents/element.ts';
import type { PagedReader } from '../../../src/documents/paged/paged-reader.ts';
import { pagedTasks } from '../../../src/documents/paged/paged-tasks.ts';
import type { Task } from '../../../src/documents/workers/tasks.ts';

async function* count({ to }: { to: number }): AsyncGenerator<number, string> {
  for (let number = 0; number < to; number++) yield number;
  return `worker ${process.pid}`;
}

async function* fill({ pieces, bytes }: { pieces: number; bytes: number }): AsyncGenerator<string, void> {
  for (let piece = 0; piece < pieces; piece++) yield 'x'.repeat(bytes);
}

/** Tells its process id, then never gives up the thread. */
async function* spin(): AsyncGenerator<number, void> {
  yield process.pid;
  // More than a piece, so that the number is sent.
  yield* fill({ pieces: 1, bytes: 1 << 19 }) as unknown as AsyncGenerator<number>;
  // The piece leaves the process only while the thread is free.
  await new Promise((resolve) => setTimeout(resolve, 500));
  for (;;);
}

// biome-ignore lint/correctness/useYield: it never gets that far.
async function* hoard(): AsyncGenerator<never, void> {
  const held: Buffer[] = [];
  for (;;) held.push(Buffer.alloc(1 << 24, 1));
}

async function* crash(): AsyncGenerator<never, void> {
  process.kill(process.pid, 'SIGSEGV');
  await new Promise(() => {});
}

/** A program that a reader has started. */
async function* child(): AsyncGenerator<number, void> {
  const sleeper = spawn('sleep', ['300']);
  await once(sleeper, 'spawn');
  yield sleeper.pid ?? 0;
  yield 'x'.repeat(1 << 19) as unknown as number;
  await new Promise(() => {});
}

interface Page {
  number: number;
  worker: number;
}

const paper: PagedReader<Page> = {
  countPages: async (path) => Number(/(\d+) pages/.exec(path)?.[1]),
  drawPage: async () => undefined,
  async *cutPage() {},
  async *readPages(_path, _type, { first, last }) {
    for (let number = first; number <= last; number++) {
      yield { page: { number, worker: process.pid }, report: { page: number, method: 'fast' } };
    }
  },
  assemble: (pages) =>
    pages.map(
      ({ number, worker }): DocumentElement => ({
        kind: 'NarrativeText',
        text: `page ${number} by ${worker}`,
        index: number - 1,
        page: number,
        regions: [],
      }),
    ),
};

// biome-ignore lint/correctness/useYield: a task without items.
async function* readFile(): AsyncGenerator<never, unknown> {
  return { type: 'pdf', paged: true };
}

const paged = pagedTasks(() => async () => paper as PagedReader);

export const tasks = new Map<string, Task>([
  ['count', count],
  ['fill', fill],
  ['spin', spin],
  ['hoard', hoard],
  ['crash', crash],
  ['child', child],
  ['read-file', readFile],
  ...paged,
]);

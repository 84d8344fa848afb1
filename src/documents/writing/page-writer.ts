import type { WorkerPool } from '../workers/open-worker-pool.ts';
import type { SentPicture, WebPage } from './web-page.ts';
import type { AddPathInput, WritePdfInput } from './writing-tasks.ts';

/** Makes files of pages, in worker processes. Throws `Unreadable` for pages that can't be rendered. */
export interface PageWriter {
  /** Absolute addresses of the pictures that a page shows. */
  picturesOf(page: WebPage, signal: AbortSignal): Promise<string[]>;
  /** The same page and pictures give the same bytes. */
  pdf(page: WebPage, pictures: SentPicture[], signal: AbortSignal): Promise<Buffer>;
  /** A PDF file of another program, with a path above its first page. */
  withPath(file: Uint8Array, path: readonly string[], signal: AbortSignal): Promise<Buffer>;
  html(page: WebPage, signal: AbortSignal): Promise<Buffer>;
}

export function createPageWriter(pool: WorkerPool): PageWriter {
  async function all<Item>(task: string, input: unknown, signal: AbortSignal): Promise<Item[]> {
    const items: Item[] = [];
    for await (const item of pool.run<Item>(task, input, { signal })) items.push(item);
    return items;
  }
  return {
    picturesOf: (page, signal) => all<string>('find-pictures', page, signal),
    async pdf(page, pictures, signal) {
      const input: WritePdfInput = { page, pictures };
      return Buffer.concat(await all<Uint8Array>('write-pdf', input, signal));
    },
    async withPath(file, path, signal) {
      const input: AddPathInput = { file, path };
      return Buffer.concat(await all<Uint8Array>('add-path', input, signal));
    },
    html: async (page, signal) => Buffer.concat(await all<Uint8Array>('write-html', page, signal)),
  };
}

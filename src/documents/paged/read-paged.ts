import type { DocumentElement } from '../element.ts';
import { Unreadable } from '../unreadable.ts';
import type { WorkerPool } from '../workers/open-worker-pool.ts';
import { pageRanges } from './page-ranges.ts';
import type { PagedOptions, PageRange, PageReport } from './paged-reader.ts';
import type { PagedFile } from './paged-tasks.ts';
import { withPictures } from './with-pictures.ts';

export interface PagedInput extends PagedFile {
  options: PagedOptions;
  /** The pages wanted; all by default. */
  range?: Partial<PageRange>;
  mostPages: number;
  /** Bytes of all pictures of elements together. */
  mostPictures: number;
}

export interface PagedResult {
  pages: number;
  reports: PageReport[];
}

/** Reads ranges of pages on all workers at once, then puts the document together in one of them. */
export async function* readPaged(
  pool: WorkerPool,
  input: PagedInput,
  { owner, signal }: { owner: unknown; signal: AbortSignal },
): AsyncGenerator<DocumentElement, PagedResult> {
  const { path, type, options } = input;
  const pages = await endOf<number>(pool.run('count-pages', { path, type }, { owner, signal }));
  const range = {
    first: Math.max(1, input.range?.first ?? 1),
    last: Math.min(pages, input.range?.last ?? pages),
  };
  if (range.last - range.first + 1 > input.mostPages) {
    throw new Unreadable(
      'too many pages',
      `The file has ${pages} pages; at most ${input.mostPages} can be read at once.`,
    );
  }
  // The first range that fails stops the others.
  const failed = new AbortController();
  const stopped = AbortSignal.any([signal, failed.signal]);
  const reading = pageRanges(range, pool.size).map(async (part) => {
    const pieces: Buffer[] = [];
    const running = pool.runRaw(
      'read-pages',
      { path, type, range: part, options },
      { owner, signal: stopped },
    );
    let next = await running.next();
    for (; !next.done; next = await running.next()) pieces.push(next.value);
    return { pieces, reports: next.value as PageReport[] };
  });
  const parts = await Promise.all(reading).catch(async (error) => {
    failed.abort(error);
    await Promise.allSettled(reading);
    throw error;
  });
  const pieces = parts.flatMap((part) => part.pieces);
  const elements = pool.run<DocumentElement>('assemble', { path, type, pieces, options }, { owner, signal });
  yield* options.pictures ? withPictures(pool, input, elements, { owner, signal }) : elements;
  return { pages, reports: parts.flatMap((part) => part.reports) };
}

async function endOf<Result>(running: AsyncGenerator<unknown, unknown>): Promise<Result> {
  let next = await running.next();
  while (!next.done) next = await running.next();
  return next.value as Result;
}

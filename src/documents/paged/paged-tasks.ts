import type { FileType } from '../detection/file-types.ts';
import type { DocumentElement } from '../element.ts';
import type { CutPage, DrawnPage } from '../pages/drawn-page.ts';
import { itemsOf } from '../workers/open-worker-pool.ts';
import type { Task } from '../workers/tasks.ts';
import type { PagedOptions, PagedReader, PageRange, PageReport } from './paged-reader.ts';

export interface PagedFile {
  path: string;
  type: FileType;
}

type Readers = (type: FileType) => (() => Promise<PagedReader>) | undefined;

/** What workers do for PDF files and pictures. */
export function pagedTasks(readers: Readers): [string, Task][] {
  const readerOf = async (type: FileType): Promise<PagedReader> => {
    const reader = await readers(type)?.();
    if (!reader) throw new Error(`no reader for ${type}`);
    return reader;
  };

  // biome-ignore lint/correctness/useYield: a task without items.
  async function* countPages({ path, type }: PagedFile): AsyncGenerator<never, number> {
    return (await readerOf(type)).countPages(path, type);
  }

  // biome-ignore lint/correctness/useYield: a task without items.
  async function* drawPage(
    input: PagedFile & { page: DrawnPage },
  ): AsyncGenerator<never, Uint8Array | undefined> {
    return (await readerOf(input.type)).drawPage(input.path, input.type, input.page);
  }

  async function* cutPage(input: PagedFile & { page: CutPage }): AsyncGenerator<string, void> {
    const reader = await readerOf(input.type);
    for await (const picture of reader.cutPage(input.path, input.type, input.page))
      yield Buffer.from(picture).toString('base64');
  }

  async function* readPages(
    input: PagedFile & { range: PageRange; options: PagedOptions },
  ): AsyncGenerator<unknown, PageReport[]> {
    const reader = await readerOf(input.type);
    const reports: PageReport[] = [];
    for await (const { page, report } of reader.readPages(
      input.path,
      input.type,
      input.range,
      input.options,
    )) {
      reports.push(report);
      yield page;
    }
    return reports;
  }

  async function* assemble(
    input: PagedFile & { pieces: Uint8Array[]; options: PagedOptions },
  ): AsyncGenerator<DocumentElement, void> {
    const reader = await readerOf(input.type);
    yield* reader.assemble([...itemsOf(input.pieces)], input.options);
  }

  return [
    ['count-pages', countPages],
    ['read-pages', readPages],
    ['draw-page', drawPage],
    ['cut-page', cutPage],
    ['assemble', assemble],
  ];
}

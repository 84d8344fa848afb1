import { randomUUID } from 'node:crypto';
import { rm, stat } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FileType, mimeOf, typeOfMime } from './detection/file-types.ts';
import type { DocumentElement } from './element.ts';
import type { PageRange, PageReport, Strategy } from './paged/paged-reader.ts';
import { pagedReader } from './paged/paged-readers.ts';
import { readPaged } from './paged/read-paged.ts';
import type { DrawnPage } from './pages/drawn-page.ts';
import type { HeicInput } from './pictures/decode-heic.ts';
import type { FileInput, FileResult } from './reading/reading-tasks.ts';
import type { DocumentSettings } from './settings.ts';
import { Unreadable } from './unreadable.ts';
import type { JobOptions } from './workers/job.ts';
import { openWorkerPool, type WorkerPool } from './workers/open-worker-pool.ts';
import { createPageWriter, type PageWriter } from './writing/page-writer.ts';

export interface DocumentFile {
  /** Where the bytes are. */
  path: string;
  /** The name under which the file was sent: it decides between text formats, and is never used as a path. */
  name: string;
  /** The media type that the client named; only a hint. */
  type?: string;
}

export interface ReadOptions {
  strategy?: Strategy;
  /** ISO 639-3; detected per element by default. */
  languages?: string[];
  encoding?: string;
  xmlKeepTags?: boolean;
  /** Puts a PageBreak between pages. */
  pageBreaks?: boolean;
  pages?: Partial<PageRange>;
  /** Kinds of elements, in any case, that come with their picture if the format has one. */
  pictures?: readonly string[];
  /** Files of models, by name. */
  models?: Record<string, string>;
  /** Files of one request share an owner, so that requests take turns. */
  owner?: unknown;
}

export interface ReadingSummary {
  /** The media type, by the file's content. */
  type: string;
  pages?: number;
  /** How each page was read, for PDF files and pictures. */
  reports: PageReport[];
}

/** The elements of a file, in order. The summary is there once they have all been taken. */
export interface Reading extends AsyncIterable<DocumentElement> {
  readonly summary: Promise<ReadingSummary>;
}

export interface Documents {
  /** Throws `Unreadable` for files that can't be read. Aborting the signal stops the work at once. */
  read(file: DocumentFile, options?: ReadOptions, signal?: AbortSignal): Reading;
  /** The picture of a page as a PNG file; undefined for formats without pictures. `type` is the summary's. */
  drawPage(
    file: { path: string; type: string },
    page: DrawnPage,
    signal: AbortSignal,
  ): Promise<Uint8Array | undefined>;
  /** Makes documents of pages of wikis and portals. */
  writer: PageWriter;
  close(): Promise<void>;
}

export interface DocumentDependencies {
  /** The module with the workers' tasks, for tests. */
  tasks?: string;
}

/** Opens the readers of documents. Worker processes start with the first file. */
export function openDocuments(settings: DocumentSettings, { tasks }: DocumentDependencies = {}): Documents {
  const pool = openWorkerPool({
    tasks: tasks ?? new URL('./reading/reading-tasks.ts', import.meta.url).href,
    workers: settings.workers ?? availableParallelism(),
    memory: settings.worker_memory,
    timeLimit: settings.time_limit,
    mostOutput: settings.max_output,
  });
  return {
    read(file, options = {}, signal = new AbortController().signal) {
      const { promise, resolve, reject } = Promise.withResolvers<ReadingSummary>();
      promise.catch(() => {});
      const elements = readFile(pool, settings, file, options, signal);
      async function* iterate(): AsyncGenerator<DocumentElement> {
        try {
          resolve(yield* elements);
        } catch (error) {
          reject(error);
          throw error;
        } finally {
          reject(new Error('the reading was given up'));
        }
      }
      return { summary: promise, [Symbol.asyncIterator]: iterate };
    },
    async drawPage({ path, type: mime }, page, signal) {
      const type = typeOfMime(mime);
      if (type === undefined || !pagedReader(type)) return undefined;
      const scratch = scratchFolder();
      const job = { owner: {}, signal };
      try {
        const opened = await openable(pool, { path, type, scratch }, job);
        const drawing = pool.run('draw-page', { path: opened, type, page }, job);
        return (await drawing.next()).value as Uint8Array | undefined;
      } finally {
        await removeScratch(scratch);
      }
    },
    writer: createPageWriter(pool),
    close: () => pool.close(),
  };
}

async function* readFile(
  pool: WorkerPool,
  settings: DocumentSettings,
  file: DocumentFile,
  options: ReadOptions,
  signal: AbortSignal,
): AsyncGenerator<DocumentElement, ReadingSummary> {
  signal.throwIfAborted();
  const { size } = await stat(file.path);
  if (size > settings.max_file_size) {
    throw new Unreadable(
      'too large',
      `The file has more than ${Math.round(settings.max_file_size / 2 ** 20)} MiB.`,
    );
  }
  const owner = options.owner ?? file;
  const input: FileInput = {
    path: file.path,
    name: file.name,
    mime: file.type,
    encoding: options.encoding,
    xmlKeepTags: options.xmlKeepTags,
    pageBreaks: options.pageBreaks,
    languages: options.languages,
    scratch: scratchFolder(),
    mostBytes: settings.max_text,
  };
  try {
    const { type, pages, paged } = yield* pool.run<DocumentElement, FileResult>('read-file', input, {
      owner,
      signal,
    });
    if (!paged) return { type: mimeOf(type), pages, reports: [] };
    const { strategy = 'auto', languages = [], models } = options;
    const result = yield* readPaged(
      pool,
      {
        path: await openable(pool, { path: file.path, type, scratch: input.scratch }, { owner, signal }),
        type,
        options: { strategy, languages, models, pageBreaks: options.pageBreaks, pictures: options.pictures },
        range: options.pages,
        mostPages: settings.max_pages,
        mostPictures: settings.max_output,
      },
      { owner, signal },
    );
    return { type: mimeOf(type), ...result };
  } finally {
    await removeScratch(input.scratch);
  }
}

/** A file whose pages can be opened: HEIC pictures are decoded first, others stay as they are. */
async function openable(
  pool: WorkerPool,
  { path, type, scratch }: HeicInput & { type: FileType },
  job: JobOptions,
): Promise<string> {
  if (type !== 'heic') return path;
  return (await pool.run('decode-picture', { path, scratch }, job).next()).value as string;
}

const scratchFolder = () => join(tmpdir(), `roundhouse-document-${randomUUID()}`);

/** The worker may be killed at any time, so its temporary files are removed by us. */
const removeScratch = (folder: string) => rm(folder, { recursive: true, force: true, maxRetries: 5 });

import type { FileType } from '../detection/file-types.ts';
import type { DocumentElement } from '../element.ts';
import type { CutPage, DrawnPage } from '../pages/drawn-page.ts';

export type Strategy = 'auto' | 'fast' | 'hi_res' | 'ocr_only';

/** How a page was read, for the summary. */
export type PageMethod = 'fast' | 'hi_res' | 'ocr_only';

export interface PagedOptions {
  strategy: Strategy;
  /** ISO 639-3. */
  languages: string[];
  /** Files of models, by name. */
  models?: Record<string, string>;
  /** Puts a PageBreak between pages. */
  pageBreaks?: boolean;
  /** Kinds of elements, in any case, that come with their picture. */
  pictures?: readonly string[];
}

/** Pages are counted from 1; `last` is included. */
export interface PageRange {
  first: number;
  last: number;
}

export interface PageReport {
  page: number;
  method: PageMethod;
  notes?: string[];
}

/**
 * Reads a format of pages in two stages. Ranges of pages are read in parallel, each in a worker; then one worker gets
 * all of them, in order, and joins what goes on over pages. What a page holds is the reader's own affair: it must
 * survive a structured clone.
 */
export interface PagedReader<Page = unknown> {
  countPages(path: string, type: FileType): Promise<number>;
  readPages(
    path: string,
    type: FileType,
    range: PageRange,
    options: PagedOptions,
  ): AsyncIterable<{ page: Page; report: PageReport }>;
  /** The picture of a page as a PNG file; undefined where there is no such page. */
  drawPage(path: string, type: FileType, page: DrawnPage): Promise<Uint8Array | undefined>;
  /** Parts of a page as JPEG files, in the order of the boxes. */
  cutPage(path: string, type: FileType, page: CutPage): AsyncIterable<Uint8Array>;
  assemble(pages: Page[], options: PagedOptions): Iterable<DocumentElement> | AsyncIterable<DocumentElement>;
}

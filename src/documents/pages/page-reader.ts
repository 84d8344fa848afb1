import type { PageContent } from '../layout/page-content.ts';
import { Tesseract } from '../ocr/tesseract.ts';
import type { PdfFile } from '../pdf/pdf-file.ts';
import { countPictures, openPictures } from '../pictures/open-pictures.ts';
import type { Picture } from '../pictures/picture.ts';
import { Unreadable } from '../unreadable.ts';
import type { LayoutModels } from '../vision/models.ts';
import { openVision, type Vision } from '../vision/open-vision.ts';
import type { CutPage, DrawnPage } from './drawn-page.ts';
import { cutPage, type DrawnFile, drawPage } from './page-pictures.ts';
import { PdfFiles } from './pdf-files.ts';
import type { ReadOptions } from './read-options.ts';
import { readPdfPage } from './read-pdf-page.ts';
import { readScannedPage } from './read-scanned-page.ts';

export interface PageReaderTools {
  /** Without them, pages are read by text, lines and OCR alone. */
  models?: LayoutModels | undefined;
  /** The command of Tesseract, if it is not on the path. */
  tesseract?: string | undefined;
}

/** A picture of unknown size is taken for a page of A4, or for less if its dots would be coarser than a screen's. */
const guessedResolution = ({ width, height }: Picture) => Math.max(96, Math.max(width, height) / 11.7);

/** Reads pages of PDFs and images. It keeps what takes long to load, so a process opens one and uses it again. */
export class PageReader {
  readonly #tools: { tesseract: Tesseract; vision: Vision | undefined };
  readonly #files = new PdfFiles();

  constructor({ models, tesseract }: PageReaderTools = {}) {
    this.#tools = { tesseract: new Tesseract(tesseract), vision: models && openVision(models) };
  }

  async countPages(path: string, kind: DrawnFile['kind']): Promise<number> {
    return kind === 'image' ? countPictures(path) : this.#files.use(path, (file) => file.pages);
  }

  /** The picture of a page as a PNG file. */
  drawPage(path: string, kind: DrawnFile['kind'], page: DrawnPage): Promise<Uint8Array | undefined> {
    return drawPage(this.#files, { path, kind }, page);
  }

  /** Parts of a page, as JPEG files. */
  cutPage(path: string, kind: DrawnFile['kind'], page: CutPage): AsyncGenerator<Uint8Array> {
    return cutPage(this.#files, { path, kind }, page);
  }

  readPdf(path: string, options: ReadOptions): AsyncGenerator<PageContent> {
    return this.#files.read(path, (file) => this.#pagesOf(file, options));
  }

  async *#pagesOf(file: PdfFile, options: ReadOptions): AsyncGenerator<PageContent> {
    const { maxPages = Infinity, pages, signal } = options;
    checkPages(file.pages, maxPages);
    const last = Math.min(file.pages, pages?.to ?? file.pages);
    for (let number = Math.max(1, pages?.from ?? 1); number <= last; number += 1) {
      signal?.throwIfAborted();
      yield await readPdfPage(this.#tools, file, number, options);
    }
  }

  async *readImage(path: string, options: ReadOptions): AsyncGenerator<PageContent> {
    const { maxPages = Infinity, pages, signal } = options;
    checkPages(await countPictures(path), maxPages);
    for await (const { number, picture, dotsPerInch } of openPictures(path, { ...pages, signal })) {
      const resolution = dotsPerInch ?? guessedResolution(picture);
      yield await readScannedPage(this.#tools, picture, resolution, number, options);
    }
  }

  async close(): Promise<void> {
    await this.#tools.vision?.close();
    this.#files.close();
  }
}

function checkPages(count: number, most: number): void {
  if (count > most)
    throw new Unreadable('too many pages', `The file has ${count} pages; at most ${most} are read.`);
}

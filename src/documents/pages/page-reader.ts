import type { Box } from '../element.ts';
import { buildPage, type PageParts } from '../layout/build-page.ts';
import { area, times } from '../layout/geometry.ts';
import type { PageContent, PageShortfall } from '../layout/page-content.ts';
import { rowsOf } from '../layout/rows.ts';
import { lineText, toLine } from '../layout/text-line.ts';
import { readScan } from '../ocr/read-scan.ts';
import { Tesseract } from '../ocr/tesseract.ts';
import { openPdfium, type Pdfium } from '../pdf/open-pdfium.ts';
import { PdfFile } from '../pdf/pdf-file.ts';
import { type RawPage, readPage } from '../pdf/read-page.ts';
import { renderPage } from '../pdf/render-page.ts';
import { WebAssembly } from '../pdf/web-assembly.ts';
import { countPictures, openPictures } from '../pictures/open-pictures.ts';
import { crop, type Picture, rotate, toJpeg, toPng } from '../pictures/picture.ts';
import { Unreadable } from '../unreadable.ts';
import type { LayoutModels } from '../vision/models.ts';
import { openVision, type Vision } from '../vision/open-vision.ts';
import type { CutPage, DrawnPage } from './drawn-page.ts';
import { isGarbled } from './garbled-text.ts';
import { addRoles, lookAtPage } from './look-at-page.ts';
import { repairEncoding } from './repair-encoding.ts';

/**
 * `fast` uses the text and geometry of a PDF, `hi_res` also looks at the page with models, `ocr_only` reads the
 * picture of the page, and `auto` chooses for each page. All of them read pages without usable text by OCR.
 */
export type Strategy = 'auto' | 'fast' | 'hi_res' | 'ocr_only';

export interface ReadOptions {
  strategy: Strategy;
  /** Pages to read, from 1. All if left out. */
  pages?: { from: number; to: number };
  /** Languages for OCR, as Tesseract names them: rus, eng. */
  languages?: string[];
  /** A file with more pages is refused as a whole. */
  maxPages?: number;
  signal?: AbortSignal;
}

export interface PageReaderTools {
  /** Without them, pages are read by text, lines and OCR alone. */
  models?: LayoutModels | undefined;
  /** The command of Tesseract, if it is not on the path. */
  tesseract?: string | undefined;
}

/** A picture of unknown size is taken for a page of A4, or for less if its dots would be coarser than a screen's. */
const guessedResolution = ({ width, height }: Picture) => Math.max(96, Math.max(width, height) / 11.7);

/** Around an element in its picture, in points. */
const pictureMargin = 4;

const [ocrResolution, visionResolution, drawnResolution] = [200, 130, 100];

/** Reads pages of PDFs and images. It keeps what takes long to load, so a process opens one and uses it again. */
export class PageReader {
  readonly #tesseract: Tesseract;
  readonly #vision: Vision | undefined;
  #pdfium: Promise<Pdfium> | undefined;

  constructor({ models, tesseract }: PageReaderTools = {}) {
    this.#tesseract = new Tesseract(tesseract);
    this.#vision = models && openVision(models);
  }

  async countPages(path: string, kind: 'pdf' | 'image'): Promise<number> {
    return kind === 'image'
      ? countPictures(path)
      : this.#withFile(path, (file) => Promise.resolve(file.pages));
  }

  /** The picture of a page as a PNG file. */
  async drawPage(path: string, kind: 'pdf' | 'image', page: DrawnPage): Promise<Uint8Array | undefined> {
    const picture = await this.#pictureOf(path, kind, page, drawnResolution);
    return picture && toPng(picture);
  }

  /** Parts of a page, as JPEG files. */
  async *cutPage(path: string, kind: 'pdf' | 'image', page: CutPage): AsyncGenerator<Uint8Array> {
    const picture = await this.#pictureOf(path, kind, page, ocrResolution);
    if (!picture) return;
    const scale = picture.width / page.width;
    for (const box of page.boxes) yield await toJpeg(crop(picture, times(widened(box), scale)));
  }

  async #pictureOf(
    path: string,
    kind: 'pdf' | 'image',
    { number, turned = 0 }: DrawnPage,
    resolution: number,
  ): Promise<Picture | undefined> {
    const flat =
      kind === 'pdf'
        ? await this.#withFile(path, async (file) =>
            file.withPage(number, (page) => renderPage(file.pdfium, page, resolution)),
          )
        : await pictureAt(path, number);
    return flat && turned !== 0 ? rotate(flat, turned) : flat;
  }

  async *readPdf(path: string, options: ReadOptions): AsyncGenerator<PageContent> {
    const { maxPages = Infinity, pages, signal } = options;
    this.#pdfium ??= openPdfium();
    const pdfium = await this.#pdfium;
    try {
      const file = new PdfFile(pdfium, path);
      try {
        checkPages(file.pages, maxPages);
        const last = Math.min(file.pages, pages?.to ?? file.pages);
        for (let number = Math.max(1, pages?.from ?? 1); number <= last; number += 1) {
          signal?.throwIfAborted();
          yield await this.#readPdfPage(file, number, options);
        }
      } finally {
        file.close();
      }
    } catch (error) {
      throw this.#afterCrash(error);
    }
  }

  async *readImage(path: string, options: ReadOptions): AsyncGenerator<PageContent> {
    const { maxPages = Infinity, pages, signal } = options;
    checkPages(await countPictures(path), maxPages);
    for await (const { number, picture, dotsPerInch } of openPictures(path, { ...pages, signal })) {
      const resolution = dotsPerInch ?? guessedResolution(picture);
      yield await this.#readScanned(picture, resolution, number, options);
    }
  }

  async close(): Promise<void> {
    await this.#vision?.close();
    this.#pdfium = undefined;
  }

  async #withFile<Result>(path: string, use: (file: PdfFile) => Promise<Result>): Promise<Result> {
    this.#pdfium ??= openPdfium();
    try {
      const file = new PdfFile(await this.#pdfium, path);
      try {
        return await use(file);
      } finally {
        file.close();
      }
    } catch (error) {
      throw this.#afterCrash(error);
    }
  }

  /** PDFium's memory is not to be trusted after a crash, so the next file gets a new instance. */
  #afterCrash(error: unknown): unknown {
    if (!isCrash(error)) return error;
    this.#pdfium = undefined;
    return new Unreadable('invalid', 'The file is damaged, or too complex to be read.', { cause: error });
  }

  async #readPdfPage(file: PdfFile, number: number, options: ReadOptions): Promise<PageContent> {
    const render = (resolution: number) =>
      file.withPage(number, (page) => renderPage(file.pdfium, page, resolution));
    const scan = () => this.#readScanned(render(ocrResolution), ocrResolution, number, options);
    if (options.strategy === 'ocr_only') return scan();
    const raw = file.withPage(number, (page) => readPage(file, page));
    const words = file.isOurs ? raw.words : repairEncoding(raw.words);
    if (!file.isOurs && needsOcr({ ...raw, words })) {
      if (await this.#tesseract.isInstalled()) return scan();
      return { ...textPage({ ...raw, words }, number), shortfall: 'no OCR' };
    }
    const built = buildPage({ ...raw, words });
    const isUnsure = options.strategy === 'auto' && built.doubts.length > 0 && !file.isOurs;
    const wanted = options.strategy === 'hi_res' || isUnsure;
    if (!wanted) return content(raw, number, built.blocks, 'text');
    if (!this.#vision) {
      const page = content(raw, number, built.blocks, 'text');
      return options.strategy === 'hi_res' ? { ...page, shortfall: 'no models' } : page;
    }
    const flat = render(visionResolution);
    const picture = raw.quarter === 0 ? flat : await rotate(flat, 360 - 90 * raw.quarter);
    return this.#seenPage({ ...raw, words }, picture, raw.width / picture.width, number, 'vision');
  }

  async #readScanned(
    picture: Picture,
    dotsPerInch: number,
    number: number,
    options: ReadOptions,
  ): Promise<PageContent> {
    const tools = { tesseract: this.#tesseract, vision: this.#vision };
    const { languages = [], signal } = options;
    const scan = await readScan(tools, picture, { languages, dotsPerInch, signal });
    const parts = { ...scan, dots: [], pictures: [] };
    if (this.#vision && options.strategy !== 'ocr_only')
      return this.#seenPage(parts, scan.picture, scan.scale, number, 'ocr');
    const page = content(parts, number, buildPage(parts).blocks, 'ocr');
    return this.#vision ? page : { ...page, shortfall: 'no models' };
  }

  /** Adds what the models see to the words of a page. */
  async #seenPage(
    parts: PageParts & Turn,
    picture: Picture,
    scale: number,
    number: number,
    source: PageContent['source'],
  ): Promise<PageContent> {
    const view = await lookAtPage(this.#vision as Vision, { ...parts, picture, scale });
    const labels = new Set(view.figures.flatMap((figure) => figure.words));
    const words = parts.words.filter((word) => !labels.has(word));
    const pictures = [...parts.pictures, ...view.figures.map((figure) => figure.box)];
    const { blocks } = buildPage({ ...parts, words, pictures, tables: view.tables });
    for (const block of blocks) {
      const figure = block.type === 'picture' && view.figures.find((one) => one.box === block.box);
      if (figure)
        block.text = rowsOf(figure.words)
          .map((row) => lineText(toLine(row)))
          .join('\n');
    }
    return content(parts, number, addRoles(blocks, view.regions), source);
  }
}

async function pictureAt(path: string, number: number): Promise<Picture | undefined> {
  for await (const { picture } of openPictures(path, { from: number, to: number })) return picture;
  return undefined;
}

/** Boxes of text end where its letters end, and those of tables may leave out their outer lines. */
const widened = ({ left, top, right, bottom }: Box): Box => ({
  left: left - pictureMargin,
  top: top - pictureMargin,
  right: right + pictureMargin,
  bottom: bottom + pictureMargin,
});

function checkPages(count: number, most: number): void {
  if (count > most)
    throw new Unreadable('too many pages', `The file has ${count} pages; at most ${most} are read.`);
}

const isCrash = (error: unknown) =>
  error instanceof WebAssembly.RuntimeError ||
  (error instanceof Error && /^Aborted\(|table index|memory access/.test(error.message));

const textPage = (raw: RawPage, number: number) => content(raw, number, buildPage(raw).blocks, 'text');

/** How a page was turned: by quarters in a PDF, by any angle for a scan. */
interface Turn {
  quarter?: number;
  turned?: number;
}

function content(
  { width, height, quarter = 0, turned = ((4 - quarter) % 4) * 90 }: { width: number; height: number } & Turn,
  number: number,
  blocks: PageContent['blocks'],
  source: PageContent['source'],
  shortfall?: PageShortfall,
): PageContent {
  return {
    number,
    width,
    height,
    source,
    blocks,
    ...(shortfall && { shortfall }),
    ...(turned !== 0 && { turned }),
  };
}

/** Little or no text on a page that shows something, or text that makes no sense. */
export function needsOcr(page: RawPage): boolean {
  const paper = page.width * page.height;
  const pictured = page.pictures.reduce((sum, box) => sum + area(box), 0) > 0.4 * paper;
  const drawn = page.shapes.length > 100;
  if (page.characters < 30) return pictured || (page.characters === 0 && drawn);
  return isGarbled(page);
}

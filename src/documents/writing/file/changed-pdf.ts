import type { Pdfium } from '../../pdf/open-pdfium.ts';
import { Unreadable } from '../../unreadable.ts';

/** A rectangle in points, from the bottom left corner. */
export interface Box {
  left: number;
  bottom: number;
  right: number;
  top: number;
}

/** A PDF file in memory that can be changed and written again. */
export class ChangedPdf {
  readonly #pdfium: Pdfium;
  readonly #bytes: number;
  readonly #document: number;

  constructor(pdfium: Pdfium, file: Uint8Array) {
    const { memory } = pdfium;
    this.#pdfium = pdfium;
    this.#bytes = memory.allocate(file.length);
    if (this.#bytes === 0) throw new Unreadable('too large', 'The file is too large to be changed.');
    memory.HEAPU8.set(file, this.#bytes);
    const noPassword = 0 as unknown as string;
    this.#document = pdfium.FPDF_LoadMemDocument(this.#bytes, file.length, noPassword);
    if (this.#document === 0 || this.#isProtected()) {
      this.close();
      throw new Unreadable('invalid', "The file can't be changed.");
    }
  }

  #isProtected(): boolean {
    return this.#pdfium.FPDF_GetSecurityHandlerRevision(this.#document) !== -1;
  }

  /** Adds a strip above the first page, and shows the first page of another file in it. The page must stand upright. */
  addAbove(stripOf: (page: Box) => { height: number; file: Uint8Array }): void {
    const pdfium = this.#pdfium;
    const page = pdfium.FPDF_LoadPage(this.#document, 0);
    if (page === 0) throw new Unreadable('invalid', 'The file has no page.');
    try {
      if (pdfium.FPDFPage_GetRotation(page) !== 0) throw new Unreadable('unsupported', 'The page is turned.');
      const shown = this.#boxOf((box) => pdfium.FPDF_GetPageBoundingBox(page, box));
      if (!shown) throw new Unreadable('invalid', 'The page has no size.');
      const { height, file } = stripOf(shown);
      this.#draw(page, file, { left: shown.left, bottom: shown.top });
      const higher = { ...shown, top: shown.top + height };
      const media = this.#mediaBox(page) ?? shown;
      pdfium.FPDFPage_SetMediaBox(page, ...edges({ ...media, top: Math.max(media.top, higher.top) }));
      pdfium.FPDFPage_SetCropBox(page, ...edges(higher));
      if (!pdfium.FPDFPage_GenerateContent(page))
        throw new Unreadable('invalid', "The page can't be changed.");
    } finally {
      pdfium.FPDF_ClosePage(page);
    }
  }

  #draw(page: number, file: Uint8Array, at: Pick<Box, 'left' | 'bottom'>): void {
    const pdfium = this.#pdfium;
    const source = new ChangedPdf(pdfium, file);
    try {
      const drawing = pdfium.FPDF_NewXObjectFromPage(this.#document, source.#document, 0);
      const object = drawing === 0 ? 0 : pdfium.FPDF_NewFormObjectFromXObject(drawing);
      if (object === 0) throw new Unreadable('invalid', "The page can't be changed.");
      pdfium.FPDFPageObj_Transform(object, 1, 0, 0, 1, at.left, at.bottom);
      pdfium.FPDFPage_InsertObject(page, object);
      pdfium.FPDF_CloseXObject(drawing);
    } finally {
      source.close();
    }
  }

  /** As PDFium gives it: left, top, right, bottom. */
  #boxOf(read: (pointer: number) => boolean): Box | undefined {
    const { memory } = this.#pdfium;
    const pointer = memory.allocate(16);
    try {
      if (!read(pointer)) return undefined;
      const [left = 0, top = 0, right = 0, bottom = 0] = memory.HEAPF32.subarray(
        pointer / 4,
        pointer / 4 + 4,
      );
      return right > left && top > bottom ? { left, bottom, right, top } : undefined;
    } finally {
      memory.free(pointer);
    }
  }

  /** Undefined where the page has none of its own. */
  #mediaBox(page: number): Box | undefined {
    return this.#boxOf((box) => this.#pdfium.FPDFPage_GetMediaBox(page, box, box + 12, box + 8, box + 4));
  }

  write(): Buffer {
    const pdfium = this.#pdfium;
    const { memory } = pdfium;
    const writer = pdfium.PDFiumExt_OpenFileWriter();
    try {
      pdfium.PDFiumExt_SaveAsCopy(this.#document, writer);
      const size = pdfium.PDFiumExt_GetFileWriterSize(writer);
      const pointer = size > 0 ? memory.allocate(size) : 0;
      if (pointer === 0) throw new Unreadable('too large', 'The file is too large to be changed.');
      pdfium.PDFiumExt_GetFileWriterData(writer, pointer, size);
      const bytes = Buffer.from(memory.HEAPU8.subarray(pointer, pointer + size));
      memory.free(pointer);
      return bytes;
    } finally {
      pdfium.PDFiumExt_CloseFileWriter(writer);
    }
  }

  close(): void {
    if (this.#document !== 0) this.#pdfium.FPDF_CloseDocument(this.#document);
    this.#pdfium.memory.free(this.#bytes);
  }
}

const edges = ({ left, bottom, right, top }: Box): [number, number, number, number] => [
  left,
  bottom,
  right,
  top,
];

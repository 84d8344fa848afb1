import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { Unreadable } from '../unreadable.ts';
import { fileStart } from './file-start.ts';
import type { Pdfium } from './open-pdfium.ts';

/** PDFium's error codes: a password is needed, or the encryption is unknown. */
const locked = [4, 5];

/** An open PDF. Its bytes stay on disk and are read when PDFium asks for them. */
export class PdfFile {
  readonly pages: number;
  /** Written by us: its text is what it should be, whatever it looks like. */
  readonly isOurs: boolean;
  readonly pdfium: Pdfium;
  readonly #document: number;
  readonly #free: () => void;

  constructor(pdfium: Pdfium, path: string) {
    this.pdfium = pdfium;
    const descriptor = openSync(path, 'r');
    const start = Buffer.alloc(fileStart.length);
    readSync(descriptor, start, 0, start.length, 0);
    this.isOurs = start.equals(fileStart);
    const { memory } = pdfium;
    const read = memory.addFunction((_, position = 0, buffer = 0, size = 0) => {
      const count = readSync(descriptor, memory.HEAPU8, buffer, size, position >>> 0);
      return count === size ? 1 : 0;
    }, 'iiiii');
    const access = memory.allocate(12);
    this.#free = () => {
      closeSync(descriptor);
      memory.free(access);
      memory.removeFunction(read);
    };
    memory.HEAP32.set([fstatSync(descriptor).size, read, 0], access / 4);
    this.#document = pdfium.FPDF_LoadCustomDocument(access, '');
    if (this.#document === 0) {
      const error = pdfium.FPDF_GetLastError();
      this.#free();
      if (locked.includes(error))
        throw new Unreadable('encrypted', 'File is encrypted. Please decrypt it with password.');
      throw new Unreadable('invalid', 'File does not appear to be a valid PDF.');
    }
    this.pages = pdfium.FPDF_GetPageCount(this.#document);
  }

  /** Runs `use` on a loaded page. Pages count from 1. */
  withPage<Result>(number: number, use: (page: number) => Result): Result {
    const page = this.pdfium.FPDF_LoadPage(this.#document, number - 1);
    if (page === 0) throw new Unreadable('invalid', `Page ${number} of the file can't be read.`);
    try {
      return use(page);
    } finally {
      this.pdfium.FPDF_ClosePage(page);
    }
  }

  /** The address that a link leads to. Links within the document have none. */
  addressOf(link: number, buffer: number, bytes: number): string | undefined {
    const action = this.pdfium.FPDFLink_GetAction(link);
    if (action === 0) return undefined;
    const length = this.pdfium.FPDFAction_GetURIPath(this.#document, action, buffer, bytes);
    return length > 1 && length <= bytes ? this.pdfium.memory.text8(buffer, length - 1) : undefined;
  }

  close(): void {
    try {
      this.pdfium.FPDF_CloseDocument(this.#document);
    } finally {
      // After a crash PDFium can't close anything; the file must be closed all the same.
      this.#free();
    }
  }
}

import { Unreadable } from '../unreadable.ts';
import { openPdfium, type Pdfium } from './open-pdfium.ts';
import { WebAssembly } from './web-assembly.ts';

/** One instance of PDFium for many files, since it takes long to load. */
class SharedPdfium {
  #pdfium: Promise<Pdfium> | undefined;

  open(): Promise<Pdfium> {
    this.#pdfium ??= openPdfium();
    return this.#pdfium;
  }

  /** PDFium's memory is not to be trusted after a crash, so the next file gets a new instance. */
  afterCrash(error: unknown): unknown {
    if (!isCrash(error)) return error;
    this.close();
    return new Unreadable('invalid', 'The file is damaged, or too complex to be read.', { cause: error });
  }

  close(): void {
    this.#pdfium = undefined;
  }
}

/** The one of this process: files that are read and files that are changed use the same. */
export const sharedPdfium = new SharedPdfium();

const isCrash = (error: unknown) =>
  error instanceof WebAssembly.RuntimeError ||
  (error instanceof Error && /^Aborted\(|table index|memory access/.test(error.message));

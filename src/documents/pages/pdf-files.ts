import { openPdfium, type Pdfium } from '../pdf/open-pdfium.ts';
import { PdfFile } from '../pdf/pdf-file.ts';
import { WebAssembly } from '../pdf/web-assembly.ts';
import { Unreadable } from '../unreadable.ts';

/** Opens PDF files, all with one instance of PDFium, which takes long to load. */
export class PdfFiles {
  #pdfium: Promise<Pdfium> | undefined;

  /** Runs `use`, which must be done when it returns, on an open file. */
  async use<Result>(path: string, use: (file: PdfFile) => Result): Promise<Result> {
    this.#pdfium ??= openPdfium();
    try {
      const file = new PdfFile(await this.#pdfium, path);
      try {
        return use(file);
      } finally {
        file.close();
      }
    } catch (error) {
      throw this.#afterCrash(error);
    }
  }

  /** The file stays open until all has been read. */
  async *read<Result>(path: string, read: (file: PdfFile) => AsyncGenerator<Result>): AsyncGenerator<Result> {
    this.#pdfium ??= openPdfium();
    const pdfium = await this.#pdfium;
    try {
      const file = new PdfFile(pdfium, path);
      try {
        yield* read(file);
      } finally {
        file.close();
      }
    } catch (error) {
      throw this.#afterCrash(error);
    }
  }

  close(): void {
    this.#pdfium = undefined;
  }

  /** PDFium's memory is not to be trusted after a crash, so the next file gets a new instance. */
  #afterCrash(error: unknown): unknown {
    if (!isCrash(error)) return error;
    this.#pdfium = undefined;
    return new Unreadable('invalid', 'The file is damaged, or too complex to be read.', { cause: error });
  }
}

const isCrash = (error: unknown) =>
  error instanceof WebAssembly.RuntimeError ||
  (error instanceof Error && /^Aborted\(|table index|memory access/.test(error.message));

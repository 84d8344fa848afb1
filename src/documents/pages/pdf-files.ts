import { PdfFile } from '../pdf/pdf-file.ts';
import { sharedPdfium } from '../pdf/shared-pdfium.ts';

/** Opens PDF files, all with the one instance of PDFium of this process. */
export class PdfFiles {
  /** Runs `use`, which must be done when it returns, on an open file. */
  async use<Result>(path: string, use: (file: PdfFile) => Result): Promise<Result> {
    const pdfium = await sharedPdfium.open();
    try {
      const file = new PdfFile(pdfium, path);
      try {
        return use(file);
      } finally {
        file.close();
      }
    } catch (error) {
      throw sharedPdfium.afterCrash(error);
    }
  }

  /** The file stays open until all has been read. */
  async *read<Result>(path: string, read: (file: PdfFile) => AsyncGenerator<Result>): AsyncGenerator<Result> {
    const pdfium = await sharedPdfium.open();
    try {
      const file = new PdfFile(pdfium, path);
      try {
        yield* read(file);
      } finally {
        file.close();
      }
    } catch (error) {
      throw sharedPdfium.afterCrash(error);
    }
  }

  close(): void {
    sharedPdfium.close();
  }
}

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

import { buildPage } from '../layout/build-page.ts';
import type { PageContent } from '../layout/page-content.ts';
import type { ScanTools } from '../ocr/read-scan.ts';
import type { PdfFile } from '../pdf/pdf-file.ts';
import { type RawPage, readPage } from '../pdf/read-page.ts';
import { renderPage } from '../pdf/render-page.ts';
import { rotate } from '../pictures/picture.ts';
import { needsOcr } from './needs-ocr.ts';
import type { ReadOptions } from './read-options.ts';
import { readScannedPage } from './read-scanned-page.ts';
import { repairEncoding } from './repair-encoding.ts';
import { seePage } from './see-page.ts';
import { toPageContent } from './to-page-content.ts';

const [ocrResolution, visionResolution] = [200, 130];

/** Reads a page by its text, with the models, or by OCR, as the strategy and the page demand. */
export async function readPdfPage(
  tools: ScanTools,
  file: PdfFile,
  number: number,
  options: ReadOptions,
): Promise<PageContent> {
  const render = (resolution: number) =>
    file.withPage(number, (page) => renderPage(file.pdfium, page, resolution));
  const scan = () => readScannedPage(tools, render(ocrResolution), ocrResolution, number, options);
  if (options.strategy === 'ocr_only') return scan();
  const raw = file.withPage(number, (page) => readPage(file, page));
  const words = file.isOurs ? raw.words : repairEncoding(raw.words);
  if (!file.isOurs && needsOcr({ ...raw, words })) {
    if (await tools.tesseract.isInstalled()) return scan();
    return { ...textPage({ ...raw, words }, number), shortfall: 'no OCR' };
  }
  const built = buildPage({ ...raw, words });
  const isUnsure = options.strategy === 'auto' && built.doubts.length > 0 && !file.isOurs;
  const wanted = options.strategy === 'hi_res' || isUnsure;
  if (!wanted) return toPageContent(raw, number, built.blocks, 'text');
  if (!tools.vision) {
    const page = toPageContent(raw, number, built.blocks, 'text');
    return options.strategy === 'hi_res' ? { ...page, shortfall: 'no models' } : page;
  }
  const flat = render(visionResolution);
  const picture = raw.quarter === 0 ? flat : await rotate(flat, 360 - 90 * raw.quarter);
  return seePage(tools.vision, { ...raw, words }, picture, raw.width / picture.width, number, 'vision');
}

const textPage = (raw: RawPage, number: number) => toPageContent(raw, number, buildPage(raw).blocks, 'text');

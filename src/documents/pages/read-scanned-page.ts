import { buildPage } from '../layout/build-page.ts';
import type { PageContent } from '../layout/page-content.ts';
import { readScan, type ScanTools } from '../ocr/read-scan.ts';
import type { Picture } from '../pictures/picture.ts';
import type { ReadOptions } from './read-options.ts';
import { seePage } from './see-page.ts';
import { toPageContent } from './to-page-content.ts';

/** Reads the picture of a page by OCR, and looks at it with the models if there are any. */
export async function readScannedPage(
  tools: ScanTools,
  picture: Picture,
  dotsPerInch: number,
  number: number,
  options: ReadOptions,
): Promise<PageContent> {
  const { vision } = tools;
  const { languages = [], signal } = options;
  const scan = await readScan(tools, picture, { languages, dotsPerInch, signal });
  const parts = { ...scan, dots: [], pictures: [] };
  if (vision && options.strategy !== 'ocr_only')
    return seePage(vision, parts, scan.picture, scan.scale, number, 'ocr');
  const page = toPageContent(parts, number, buildPage(parts).blocks, 'ocr');
  return vision ? page : { ...page, shortfall: 'no models' };
}

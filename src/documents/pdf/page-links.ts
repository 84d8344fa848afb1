import type { Box } from '../element.ts';
import type { PageFrame } from './page-frame.ts';
import type { PdfFile } from './pdf-file.ts';

export interface PageLink {
  box: Box;
  url: string;
}

const linkLimit = 2_000;

/** The links of a page that lead to an address. */
export function readLinks(file: PdfFile, page: number, frame: PageFrame, scratch: number): PageLink[] {
  const { pdfium } = file;
  const { memory } = pdfium;
  const links: PageLink[] = [];
  memory.HEAP32[scratch / 4] = 0;
  while (links.length < linkLimit && pdfium.FPDFLink_Enumerate(page, scratch, scratch + 4)) {
    const link = memory.HEAP32[scratch / 4 + 1] as number;
    if (!pdfium.FPDFLink_GetAnnotRect(link, scratch + 8)) continue;
    const at = scratch / 4 + 2;
    const [left = 0, top = 0, right = 0, bottom = 0] = memory.HEAPF32.subarray(at, at + 4);
    const url = file.addressOf(link, scratch + 64, 2_000);
    if (url) links.push({ box: frame.box(left, bottom, right, top), url });
  }
  return links;
}

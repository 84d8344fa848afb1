import type { PageContent } from '../layout/page-content.ts';

/** How a page was turned: by quarters in a PDF, by any angle for a scan. */
export interface Turn {
  quarter?: number;
  turned?: number;
}

/** A page as it is handed over. */
export function toPageContent(
  { width, height, quarter = 0, turned = ((4 - quarter) % 4) * 90 }: { width: number; height: number } & Turn,
  number: number,
  blocks: PageContent['blocks'],
  source: PageContent['source'],
): PageContent {
  return {
    number,
    width,
    height,
    source,
    blocks,
    ...(turned !== 0 && { turned }),
  };
}

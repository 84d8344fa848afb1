import { image } from '../pictures/sharp.ts';
import type { PdfPicture } from './file/pdf-document.ts';
import { type Budget, most } from './limits.ts';
import type { SentPicture } from './web-page.ts';

const mostPixels = 40_000_000;
/** Enough for the width of a page at 200 dots per inch. */
const usefulWidth = 1_400;
const usefulHeight = 2_000;
const formats = new Set(['png', 'jpeg', 'gif', 'webp', 'svg', 'tiff', 'heif']);

/** Pictures as a PDF file holds them. Damaged ones and those with too many pixels are left out. */
export async function preparePictures(
  sent: readonly SentPicture[],
  budget: Budget,
): Promise<Map<string, PdfPicture>> {
  const pictures = new Map<string, PdfPicture>();
  for (const { url, bytes } of sent.slice(0, most.pictures)) {
    budget.look();
    const picture = await prepare(bytes).catch(() => undefined);
    if (picture) pictures.set(url, picture);
  }
  return pictures;
}

async function prepare(bytes: Uint8Array): Promise<PdfPicture | undefined> {
  const source = image(bytes, { limitInputPixels: mostPixels, sequentialRead: true, failOn: 'error' });
  const { format = '' } = await source.metadata();
  if (!formats.has(format)) return undefined;
  const { data, info } = await source
    .autoOrient()
    .flatten({ background: '#fff' })
    .resize({ width: usefulWidth, height: usefulHeight, fit: 'inside', withoutEnlargement: true })
    .jpeg({ quality: 88, chromaSubsampling: '4:4:4' })
    .toBuffer({ resolveWithObject: true });
  return { jpeg: data, width: info.width, height: info.height, grey: info.channels === 1 };
}

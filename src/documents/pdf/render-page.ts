import type { Picture } from '../pictures/picture.ts';
import type { Pdfium } from './open-pdfium.ts';

/** BGR, and: with annotations. */
const bgr = 2;
const withAnnotations = 1;
const pixelLimit = 12_000_000;

/** Draws a page in colour (red, green, blue). Large pages get fewer pixels per inch than asked. */
export function renderPage(pdfium: Pdfium, page: number, dotsPerInch: number): Picture {
  const pageWidth = pdfium.FPDF_GetPageWidthF(page);
  const pageHeight = pdfium.FPDF_GetPageHeightF(page);
  const wanted = dotsPerInch / 72;
  const scale = Math.min(wanted, Math.sqrt(pixelLimit / Math.max(1, pageWidth * pageHeight)));
  const width = Math.max(1, Math.round(pageWidth * scale));
  const height = Math.max(1, Math.round(pageHeight * scale));
  const bitmap = pdfium.FPDFBitmap_CreateEx(width, height, bgr, 0, 0);
  if (bitmap === 0) throw new Error('no memory for the picture of a page');
  try {
    pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, 0xffffffff);
    pdfium.FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, withAnnotations);
    const start = pdfium.FPDFBitmap_GetBuffer(bitmap);
    const stride = pdfium.FPDFBitmap_GetStride(bitmap);
    return {
      width,
      height,
      channels: 3,
      pixels: copyRows(pdfium.memory.HEAPU8, start, stride, width, height),
    };
  } finally {
    pdfium.FPDFBitmap_Destroy(bitmap);
  }
}

function copyRows(
  heap: Uint8Array,
  start: number,
  stride: number,
  width: number,
  height: number,
): Uint8Array {
  const pixels = new Uint8Array(width * height * 3);
  for (let row = 0, to = 0; row < height; row += 1) {
    let from = start + row * stride;
    for (let column = 0; column < width; column += 1, from += 3, to += 3) {
      pixels[to] = heap[from + 2] as number;
      pixels[to + 1] = heap[from + 1] as number;
      pixels[to + 2] = heap[from] as number;
    }
  }
  return pixels;
}

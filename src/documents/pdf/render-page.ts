import type { Picture } from '../pictures/picture.ts';
import type { Pdfium } from './open-pdfium.ts';

/** Three bytes per pixel; with annotations; red first, where PDFium's own order is blue first. */
const threeBytes = 2;
const [withAnnotations, redFirst] = [1, 0x10];
const pixelLimit = 12_000_000;

/** Draws a page in colour (red, green, blue). Large pages get fewer pixels per inch than asked. */
export function renderPage(pdfium: Pdfium, page: number, dotsPerInch: number): Picture {
  const pageWidth = pdfium.FPDF_GetPageWidthF(page);
  const pageHeight = pdfium.FPDF_GetPageHeightF(page);
  const wanted = dotsPerInch / 72;
  const scale = Math.min(wanted, Math.sqrt(pixelLimit / Math.max(1, pageWidth * pageHeight)));
  const width = Math.max(1, Math.round(pageWidth * scale));
  const height = Math.max(1, Math.round(pageHeight * scale));
  const bitmap = pdfium.FPDFBitmap_CreateEx(width, height, threeBytes, 0, 0);
  if (bitmap === 0) throw new Error('no memory for the picture of a page');
  try {
    pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, 0xffffffff);
    pdfium.FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, withAnnotations | redFirst);
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
  for (let row = 0; row < height; row += 1) {
    const from = start + row * stride;
    pixels.set(heap.subarray(from, from + width * 3), row * width * 3);
  }
  return pixels;
}

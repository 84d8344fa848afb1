import { Unreadable } from '../unreadable.ts';
import { image } from './sharp.ts';

export interface PictureFacts {
  /** Of one page. */
  width: number;
  height: number;
  pages: number;
  density: number | undefined;
  /** Of HEIF files: av1, hevc and others. */
  compression: string | undefined;
}

/** Larger pictures are refused before a pixel is decoded: this many take 300 MB in colour. */
export const pixelLimit = 100_000_000;
/** Pages are read at no more than this; more pixels make OCR slower, not better. */
export const usefulPixels = 12_000_000;

/** What the header of an image file says. Throws `Unreadable` if it is none. */
export async function pictureFacts(path: string): Promise<PictureFacts> {
  try {
    const found = await image(path, { limitInputPixels: false }).metadata();
    const { width = 0, height = 0, pageHeight = height, density, compression } = found;
    // Frames of animations are not pages.
    const pages = found.format === 'tiff' ? (found.pages ?? 1) : 1;
    return { width, height: pageHeight, pages, density, compression };
  } catch (error) {
    throw new Unreadable('invalid', 'The file does not appear to be a valid image.', { cause: error });
  }
}

export function checkPixels({ width, height }: PictureFacts): void {
  if (width * height <= pixelLimit) return;
  throw new Unreadable(
    'too large',
    `The image has ${width} × ${height} pixels; at most ${pixelLimit / 1e6} million are read.`,
  );
}

/** By how much a picture is scaled down to be read. */
export const usefulScale = ({ width, height }: { width: number; height: number }): number =>
  Math.min(1, Math.sqrt(usefulPixels / (width * height)));

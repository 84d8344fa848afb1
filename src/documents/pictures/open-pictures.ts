import { execFile } from 'node:child_process';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Unreadable } from '../unreadable.ts';
import type { Picture } from './picture.ts';
import { image } from './sharp.ts';

/** A page of an image file, with its resolution if the file states a plausible one. */
export interface PicturePage {
  picture: Picture;
  dotsPerInch: number | undefined;
}

/** Larger pictures are refused before a pixel is decoded: this many take 300 MB in colour. */
const pixelLimit = 100_000_000;
/** Pages are read at no more than this; more pixels make OCR slower, not better. */
const usefulPixels = 12_000_000;

/** The pages of an image file: one, or several in a TIFF. */
export async function* openPictures(path: string, signal?: AbortSignal): AsyncGenerator<PicturePage> {
  if (await isHeic(path)) {
    yield* withConvertedHeic(path, signal);
    return;
  }
  const { pages, pageHeight, height, width, density } = await facts(path);
  if (width * (pageHeight ?? height) > pixelLimit)
    throw new Unreadable(
      'too large',
      `The image has ${width} × ${height} pixels; at most ${pixelLimit / 1e6} million are read.`,
    );
  for (let page = 0; page < pages; page += 1) {
    signal?.throwIfAborted();
    yield { picture: await decode(path, page), dotsPerInch: plausible(density) };
  }
}

export async function countPictures(path: string): Promise<number> {
  return (await isHeic(path)) ? 1 : (await facts(path)).pages;
}

async function facts(path: string) {
  try {
    const found = await image(path, { limitInputPixels: false }).metadata();
    const { width = 0, height = 0, pages = 1, pageHeight, density } = found;
    // Frames of animations are not pages.
    return { width, height, pageHeight, density, pages: found.format === 'tiff' ? pages : 1 };
  } catch (error) {
    throw new Unreadable('invalid', 'The file does not appear to be a valid image.', { cause: error });
  }
}

async function decode(path: string, page: number): Promise<Picture> {
  try {
    const source = image(path, { page, limitInputPixels: pixelLimit, sequentialRead: true, failOn: 'error' });
    const { width = 1, height = 1 } = await source.metadata();
    const scale = Math.min(1, Math.sqrt(usefulPixels / (width * height)));
    const { data, info } = await source
      .autoOrient()
      .flatten({ background: '#fff' })
      .resize({
        width: Math.round(width * scale),
        height: Math.round(height * scale),
        fit: 'inside',
        withoutEnlargement: true,
      })
      .toColourspace('srgb')
      .removeAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    const channels = info.channels === 1 ? 1 : 3;
    return { width: info.width, height: info.height, channels, pixels: new Uint8Array(data) };
  } catch (error) {
    throw new Unreadable('invalid', 'The image is damaged.', { cause: error });
  }
}

const plausible = (density: number | undefined) =>
  density !== undefined && density >= 70 && density <= 1_200 && density !== 72 && density !== 96
    ? density
    : undefined;

async function isHeic(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const head = Buffer.alloc(12);
    await file.read(head, 0, 12, 0);
    return (
      head.toString('latin1', 4, 8) === 'ftyp' &&
      /^(?:hei[cxms]|hev[cxms]|mif1|msf1)$/.test(head.toString('latin1', 8))
    );
  } finally {
    await file.close();
  }
}

/** The patents on HEVC keep its decoder out of the packages we use; a system may have it. */
async function* withConvertedHeic(path: string, signal?: AbortSignal): AsyncGenerator<PicturePage> {
  const folder = await mkdtemp(join(tmpdir(), 'heic-'));
  try {
    const converted = join(folder, 'page.png');
    await promisify(execFile)('heif-convert', [path, converted], { timeout: 60_000, signal }).catch(
      (error) => {
        const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
        const message = missing
          ? 'HEIC images need heif-convert on the server (Debian: libheif-examples).'
          : 'The file does not appear to be a valid HEIC image.';
        throw new Unreadable(missing ? 'unsupported' : 'invalid', message, { cause: error });
      },
    );
    yield* openPictures(converted, signal);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

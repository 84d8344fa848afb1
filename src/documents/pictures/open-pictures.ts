import { Unreadable } from '../unreadable.ts';
import type { Picture } from './picture.ts';
import { checkPixels, pictureFacts, pixelLimit, usefulScale } from './picture-facts.ts';
import { image } from './sharp.ts';

/** A page of an image file, with its resolution if the file states a plausible one. */
export interface PicturePage {
  picture: Picture;
  dotsPerInch: number | undefined;
}

/** The pages of an image file: one, or several in a TIFF. Others than the wanted ones are not decoded. */
export async function* openPictures(
  path: string,
  { from = 1, to = Infinity, signal }: { from?: number; to?: number; signal?: AbortSignal | undefined } = {},
): AsyncGenerator<PicturePage & { number: number }> {
  const facts = await pictureFacts(path);
  checkPixels(facts);
  for (let number = Math.max(1, from); number <= Math.min(to, facts.pages); number += 1) {
    signal?.throwIfAborted();
    yield { number, picture: await decode(path, number - 1), dotsPerInch: plausible(facts.density) };
  }
}

export const countPictures = async (path: string): Promise<number> => (await pictureFacts(path)).pages;

async function decode(path: string, page: number): Promise<Picture> {
  try {
    const source = image(path, { page, limitInputPixels: pixelLimit, sequentialRead: true, failOn: 'error' });
    const { width = 1, height = 1 } = await source.metadata();
    const scale = usefulScale({ width, height });
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

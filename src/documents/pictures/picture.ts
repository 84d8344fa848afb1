import type { Box } from '../element.ts';
import { image } from './sharp.ts';

/** Pixels row by row: one byte per pixel in grey, or three for red, green and blue. */
export interface Picture {
  width: number;
  height: number;
  channels: 1 | 3;
  pixels: Uint8Array;
}

const pipeline = ({ pixels, width, height, channels }: Picture) =>
  image(pixels, { raw: { width, height, channels } });

async function finish(work: ReturnType<typeof image>, channels: 1 | 3): Promise<Picture> {
  // sharp returns grey pictures in colour, and turned ones with transparency, unless told otherwise.
  const plain = work.flatten({ background: '#fff' }).toColourspace(channels === 1 ? 'b-w' : 'srgb');
  const { data, info } = await plain.raw().toBuffer({ resolveWithObject: true });
  const pixels = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return { width: info.width, height: info.height, channels, pixels };
}

/** Scales to exactly this size; proportions may change. */
export const resize = (picture: Picture, width: number, height: number): Promise<Picture> =>
  finish(pipeline(picture).resize(width, height, { fit: 'fill', kernel: 'linear' }), picture.channels);

/** Turns clockwise. What comes into view is white. */
export const rotate = (picture: Picture, degrees: number): Promise<Picture> =>
  finish(pipeline(picture).rotate(degrees, { background: '#fff' }), picture.channels);

export const toGrey = (picture: Picture): Promise<Picture> =>
  picture.channels === 1 ? Promise.resolve(picture) : finish(pipeline(picture).greyscale(), 1);

/** As a PNG file. */
export const toPng = (picture: Picture): Promise<Uint8Array> => pipeline(picture).png().toBuffer();

/** As a JPEG file. */
export const toJpeg = (picture: Picture): Promise<Uint8Array> =>
  pipeline(picture).jpeg({ quality: 85 }).toBuffer();

/** The part of a picture inside a box, in pixels. */
export function crop(picture: Picture, box: Box): Picture {
  const left = Math.max(0, Math.floor(box.left));
  const top = Math.max(0, Math.floor(box.top));
  const width = Math.max(1, Math.min(picture.width, Math.ceil(box.right)) - left);
  const height = Math.max(1, Math.min(picture.height, Math.ceil(box.bottom)) - top);
  const { channels } = picture;
  const pixels = new Uint8Array(width * height * channels);
  for (let row = 0; row < height; row += 1) {
    const from = ((top + row) * picture.width + left) * channels;
    pixels.set(picture.pixels.subarray(from, from + width * channels), row * width * channels);
  }
  return { width, height, channels, pixels };
}

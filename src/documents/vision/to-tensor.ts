import type { Picture } from '../pictures/picture.ts';

const mean = [0.485, 0.456, 0.406] as const;
const deviation = [0.229, 0.224, 0.225] as const;

export interface TensorOptions {
  /** Blue, green, red, as models trained with OpenCV expect. */
  order?: 'rgb' | 'bgr';
  /** Side of the square that the picture is padded to, right and below, with zeros. */
  side?: number;
}

/** One picture as planes of normalised numbers, channel by channel. */
export function toTensor(picture: Picture, { order = 'rgb', side }: TensorOptions = {}): Float32Array {
  const width = side ?? picture.width;
  const height = side ?? picture.height;
  const plane = width * height;
  const data = new Float32Array(3 * plane);
  for (let channel = 0; channel < 3; channel += 1) {
    const source = picture.channels === 1 ? 0 : order === 'rgb' ? channel : 2 - channel;
    const scale = 1 / (255 * (deviation[channel] as number));
    const shift = (mean[channel] as number) / (deviation[channel] as number);
    for (let row = 0; row < picture.height; row += 1) {
      let from = row * picture.width * picture.channels + source;
      let to = channel * plane + row * width;
      for (let column = 0; column < picture.width; column += 1, to += 1, from += picture.channels)
        data[to] = (picture.pixels[from] as number) * scale - shift;
    }
  }
  return data;
}

import type { Quarter } from '../layout/geometry.ts';
import { crop, type Picture, resize } from '../pictures/picture.ts';
import type { Model } from './models.ts';
import { toTensor } from './to-tensor.ts';

const [shortSide, input] = [256, 224];

export interface Orientation {
  /** How far the content of a picture is turned clockwise. */
  quarter: Quarter;
  /** From 0.25, a guess, to 1. */
  score: number;
}

export async function findOrientation(model: Model, picture: Picture): Promise<Orientation> {
  const scale = shortSide / Math.min(picture.width, picture.height);
  const small = await resize(picture, Math.round(picture.width * scale), Math.round(picture.height * scale));
  const left = Math.floor((small.width - input) / 2);
  const top = Math.floor((small.height - input) / 2);
  const middle = crop(small, { left, top, right: left + input, bottom: top + input });
  const [output = []] = await model.run(toTensor(middle), [1, 3, input, input]);
  const scores = [...output];
  const score = Math.max(...scores);
  return { quarter: scores.indexOf(score) as Quarter, score };
}

import type { Box } from '../../element.ts';
import type { Picture } from '../../pictures/picture.ts';

/** Pixels of a box that are darker than this are ink: `share` of the way from the darkest to the lightest pixel. */
export function inkLevel(grey: Picture, box: Box, share = 0.5): number {
  const [left, right] = [Math.max(0, Math.floor(box.left)), Math.min(grey.width, Math.ceil(box.right))];
  const [top, bottom] = [Math.max(0, Math.floor(box.top)), Math.min(grey.height, Math.ceil(box.bottom))];
  let [least, most] = [255, 0];
  for (let row = top; row < bottom; row += 1)
    for (let at = row * grey.width + left; at < row * grey.width + right; at += 1) {
      const value = grey.pixels[at] as number;
      if (value < least) least = value;
      if (value > most) most = value;
    }
  return least + share * (most - least);
}

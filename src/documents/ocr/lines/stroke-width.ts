import type { Box } from '../../element.ts';
import type { Picture } from '../../pictures/picture.ts';
import { inkLevel } from './ink-level.ts';

/** The typical length, in pixels, of dark runs along the rows of a word: bold letters have thicker stems. */
export function strokeWidth(grey: Picture, box: Box): number {
  const [left, right] = [Math.max(0, Math.floor(box.left)), Math.min(grey.width, Math.ceil(box.right))];
  const [top, bottom] = [Math.max(0, Math.floor(box.top)), Math.min(grey.height, Math.ceil(box.bottom))];
  const dark = inkLevel(grey, box);
  const runs: number[] = [];
  for (let row = top; row < bottom; row += 1) {
    let length = 0;
    for (let column = left; column <= right; column += 1) {
      if (column < right && (grey.pixels[row * grey.width + column] as number) < dark) length += 1;
      else {
        if (length > 0) runs.push(length);
        length = 0;
      }
    }
  }
  runs.sort((a, b) => a - b);
  // Stems are the shorter runs; the longer ones go through bows and bars.
  const stems = runs.slice(0, Math.ceil(runs.length * 0.7));
  return stems.reduce((sum, run) => sum + run, 0) / Math.max(1, stems.length);
}

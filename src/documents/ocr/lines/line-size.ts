import type { Box } from '../../element.ts';
import type { Picture } from '../../pictures/picture.ts';
import { inkLevel } from './ink-level.ts';

/** Letters that are as high as capitals. */
const tall = /[\p{Lu}\dbdfhkltёйбф]/gu;
/** Heights of capitals and of small letters, in font sizes. */
const [capitals, small] = [0.69, 0.48];
/**
 * A row of pixels belongs to the body of the letters if it has this share of the ink of the fullest rows. Digits and
 * capitals have rows with little ink: the middle of a 7, the stem of a 4.
 */
const [share, shareOfTall] = [0.42, 0.12];

export interface LineSize {
  size: number;
  baseline: number;
}

/**
 * Measures a line of text by the band in which most of its ink lies: from the baseline to the top of small letters,
 * or of capitals if the text consists of them. Word boxes vary too much with noise.
 */
export function measureLine(grey: Picture, box: Box, text: string): LineSize {
  const rows = inkByRow(grey, box);
  const full = rows.toSorted((a, b) => b - a)[Math.floor(rows.length * 0.12)] ?? 0;
  const peak = rows.indexOf(Math.max(...rows));
  let [top, bottom] = [peak, peak];
  const letters = text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
  const high = (text.match(tall)?.length ?? 0) > 0.6 * letters;
  const inside = (row: number) => (rows[row] ?? 0) >= (high ? shareOfTall : share) * full;
  while (top > 0 && (inside(top - 1) || inside(top - 2))) top -= 1;
  while (bottom < rows.length - 1 && (inside(bottom + 1) || inside(bottom + 2))) bottom += 1;
  const height = bottom - top + 1;
  return {
    size: height / (high ? capitals : small),
    baseline: Math.floor(Math.max(0, box.top)) + bottom + 1,
  };
}

function inkByRow(grey: Picture, box: Box): number[] {
  const [left, right] = [Math.max(0, Math.floor(box.left)), Math.min(grey.width, Math.ceil(box.right))];
  const [top, bottom] = [Math.max(0, Math.floor(box.top)), Math.min(grey.height, Math.ceil(box.bottom))];
  const dark = inkLevel(grey, box, 0.55);
  return Array.from({ length: Math.max(1, bottom - top) }, (_, row) => {
    let ink = 0;
    const start = (top + row) * grey.width;
    for (let at = start + left; at < start + right; at += 1) if ((grey.pixels[at] as number) < dark) ink += 1;
    return ink;
  });
}

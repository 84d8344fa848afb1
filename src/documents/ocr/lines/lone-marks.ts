import type { Box } from '../../element.ts';
import { median, shared, union } from '../../layout/geometry.ts';
import type { Picture } from '../../pictures/picture.ts';
import { inkLevel } from './ink-level.ts';

/** The parts of a page, at its top and bottom, in which its number stands. */
const band = 0.13;
/** Heights of digits, in heights of detected lines, which are larger than their letters. */
const [lowest, highest] = [0.3, 0.75];
/** Between the digits of a number, in heights of a digit, and to other ink around it. */
const [gapInside, gapAround] = [0.6, 1.2];
/** A number has this many digits at most; bands with more marks have pictures or noise. */
const [mostDigits, mostMarks] = [4, 2];

/**
 * Marks of a digit's size that stand alone at the top or bottom of a page. The detector of lines leaves single digits
 * out, and page numbers mostly are.
 */
export function loneMarks(grey: Picture, lines: Box[]): Box[] {
  if (lines.length === 0) return [];
  const usual = median(lines.map((line) => line.bottom - line.top));
  const depth = Math.round(band * grey.height);
  return [0, grey.height - depth].flatMap((top) => {
    const shapes = inkShapes(grey, { left: 0, right: grey.width, top, bottom: top + depth }, lines);
    const digits = shapes.filter((shape) => isDigitSized(shape, usual));
    const marks = joinDigits(digits).filter((mark) => isAlone(mark, [...shapes, ...lines]));
    return marks.length > mostMarks ? [] : marks.map((mark) => widened(mark, usual));
  });
}

/** Whether a detected line is as small, and as near to an edge of the page, as a page number. */
export function isNumberSized({ left, right, top, bottom }: Box, page: Picture): boolean {
  const atEdge = bottom < band * page.height || top > (1 - band) * page.height;
  return atEdge && right - left < 2.2 * (bottom - top);
}

function isDigitSized({ left, right, top, bottom }: Box, usual: number): boolean {
  const [across, down] = [right - left, bottom - top];
  return down > lowest * usual && down < highest * usual && across < 1.1 * down && across > 0.15 * down;
}

/** Digits side by side are one number. */
function joinDigits(digits: Box[]): Box[] {
  const numbers: Box[][] = [];
  for (const digit of digits.toSorted((a, b) => a.left - b.left)) {
    const height = digit.bottom - digit.top;
    const number = numbers.find((one) => {
      const last = one.at(-1) as Box;
      const level = shared(last.top, last.bottom, digit.top, digit.bottom) > 0.7 * height;
      return level && digit.left - last.right < gapInside * height;
    });
    if (number) number.push(digit);
    else numbers.push([digit]);
  }
  return numbers.filter((one) => one.length <= mostDigits).map(union);
}

function isAlone(mark: Box, others: Box[]): boolean {
  const around = gapAround * (mark.bottom - mark.top);
  return others.every(
    (other) =>
      (other.left >= mark.left && other.right <= mark.right && other.top >= mark.top) ||
      other.left > mark.right + around ||
      other.right < mark.left - around ||
      other.top > mark.bottom + 0.5 * around ||
      other.bottom < mark.top - 0.5 * around,
  );
}

/** As large as the detector would have made it. */
function widened({ left, right, top, bottom }: Box, usual: number): Box {
  const [beside, above] = [0.25 * usual, Math.max(2, (usual - (bottom - top)) / 2)];
  return { left: left - beside, right: right + beside, top: top - above, bottom: bottom + above };
}

/** Connected ink outside the detected lines; specks are left out. */
function inkShapes(grey: Picture, area: Box, lines: Box[]): Box[] {
  const { width, pixels } = grey;
  const dark = inkLevel(grey, area);
  const seen = new Uint8Array(width * (area.bottom - area.top));
  const offset = area.top * width;
  for (const line of lines) {
    const [from, to] = [Math.max(0, Math.floor(line.left)), Math.min(width, Math.ceil(line.right))];
    const last = Math.min(area.bottom, Math.ceil(line.bottom));
    for (let y = Math.max(area.top, Math.floor(line.top)); y < last; y += 1)
      if (to > from) seen.fill(1, y * width - offset + from, y * width - offset + to);
  }
  const shapes: Box[] = [];
  const stack: number[] = [];
  const visit = (at: number) => {
    if (at < 0 || at >= seen.length || seen[at] || (pixels[at + offset] as number) >= dark) return;
    seen[at] = 1;
    stack.push(at);
  };
  for (let start = 0; start < seen.length; start += 1) {
    visit(start);
    if (stack.length === 0) continue;
    let count = 0;
    const box: Box = { left: width, right: 0, top: area.bottom, bottom: 0 };
    while (stack.length > 0) {
      const at = stack.pop() as number;
      const x = at % width;
      const y = (at - x) / width + area.top;
      count += 1;
      box.left = Math.min(box.left, x);
      box.right = Math.max(box.right, x + 1);
      box.top = Math.min(box.top, y);
      box.bottom = Math.max(box.bottom, y + 1);
      for (const next of [at - width, at, at + width]) for (const side of [-1, 0, 1]) visit(next + side);
    }
    if (count > 8) shapes.push(box);
  }
  return shapes;
}

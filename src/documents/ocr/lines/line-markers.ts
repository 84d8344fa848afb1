import type { Box } from '../../element.ts';
import { area, shared } from '../../layout/geometry.ts';
import type { Picture } from '../../pictures/picture.ts';
import { inkLevel } from './ink-level.ts';
import { measureLine } from './line-size.ts';

/** A line to be read, and the bullet or dash before it. */
export interface MarkedLine {
  box: Box;
  marker?: { text: '•' | '–'; box: Box };
}

/** How far left of a line a marker may stand, in heights of the line. */
const reach = 2.4;
/** The largest bullet or dash, and the smallest gap after it. */
const [largest, highest, gapAfter] = [0.9, 0.42, 0.22];
/** How far above the baseline a marker ends, in font sizes: at least and at most. */
const [lowest, raised] = [0.08, 0.32];
/** Marks with less ink, as a share of the square of the line's height, are noise. */
const speck = 0.01;
/** How far from the darkest to the lightest pixel ink reaches. Thin circles are lighter than letters. */
const inkShare = 0.65;
/** Squares are filled, and may be larger than other markers; hardly a letter is. */
const [filled, largestSquare] = [0.8, 0.6];

/**
 * Finds list markers before detected lines. The detector sees small numbers as lines of their own, which OCR reads
 * better together with the text, and bullets not at all, which OCR takes for letters.
 */
export function withMarkers(grey: Picture, lines: Box[]): MarkedLine[] {
  const joined = joinNumbers(lines);
  return joined.map((line) => markLine(grey, line, joined));
}

function joinNumbers(lines: Box[]): Box[] {
  const gone = new Set<Box>();
  const wider = lines.map((line) => {
    const marker = lines.find((other) => isNumberBefore(other, line));
    if (!marker) return line;
    gone.add(marker);
    return {
      left: marker.left,
      right: line.right,
      top: Math.min(line.top, marker.top),
      bottom: Math.max(line.bottom, marker.bottom),
    };
  });
  return wider.filter((_, index) => !gone.has(lines[index] as Box));
}

function isNumberBefore(other: Box, line: Box): boolean {
  const height = line.bottom - line.top;
  const gap = line.left - other.right;
  const level = shared(line.top, line.bottom, other.top, other.bottom);
  if (level < 0.5 * Math.min(height, other.bottom - other.top)) return false;
  const small = other.right - other.left < 1.6 * height && line.right - line.left > 4 * height;
  // The detector may see the beginning of the line in both.
  return small && gap > -0.6 * height && other.left < line.left && gap < 1.2 * height;
}

function markLine(grey: Picture, line: Box, lines: Box[]): MarkedLine {
  const height = line.bottom - line.top;
  const reached = Math.max(0, line.left - reach * height);
  const taken = lines.some(
    (other) =>
      other !== line &&
      other.right > reached &&
      other.left < line.left &&
      shared(other.top, other.bottom, line.top, line.bottom) > 0.5 * height,
  );
  const stretch = {
    ...line,
    left: taken ? line.left : reached,
    right: Math.min(line.right, line.left + 2.5 * height),
  };
  const ink = firstInk(grey, stretch);
  if (!ink) return { box: line };
  const { box, next } = ink;
  const [across, down] = [box.right - box.left, box.bottom - box.top];
  if (isMarker(grey, line, ink))
    return { box: { ...line, left: next - 3 }, marker: { text: across > 1.8 * down ? '–' : '•', box } };
  // A number that the detector left out.
  const missed = box.right < line.left && across < 1.3 * height && box.left > reached + 2;
  return { box: missed ? { ...line, left: box.left - 4 } : line };
}

/**
 * Bullets and dashes float above the baseline. One-letter words stand on it, and footnote marks are higher. Noise may
 * join a bullet with specks below it, so what stands well before the line counts as well.
 */
function isMarker(grey: Picture, line: Box, { box, next, fill }: FirstInk): boolean {
  const height = line.bottom - line.top;
  const [across, down] = [box.right - box.left, box.bottom - box.top];
  const middle = (box.top + box.bottom) / 2;
  const low = Math.abs(middle - (line.top + 0.54 * height)) < 0.22 * height;
  const square = fill > filled && across < 1.3 * down && down < 1.3 * across;
  const most = square ? largestSquare : highest;
  if (!low || across > largest * height || down > most * height || next - box.right < gapAfter * height)
    return false;
  const { size, baseline } = measureLine(grey, line, 'lower case');
  const above = (baseline - box.bottom) / size;
  const before = box.right < line.left && next - box.right > 0.6 * size;
  // Digits are higher than they are wide.
  return before || (down < 1.4 * across && above > (square ? -lowest : lowest) && above < raised);
}

interface FirstInk {
  box: Box;
  /** The share of the box that is ink. */
  fill: number;
  /** Where the next ink begins. */
  next: number;
}

/** The leftmost connected ink of a stretch. */
function firstInk(grey: Picture, stretch: Box): FirstInk | undefined {
  const dark = inkLevel(grey, stretch, inkShare);
  // The lines above and below may reach into the box.
  const height = stretch.bottom - stretch.top;
  const top = Math.max(0, Math.floor(stretch.top + 0.2 * height));
  const bottom = Math.min(grey.height, Math.ceil(stretch.bottom - 0.15 * height));
  const least = Math.max(6, speck * height * height);
  let found: Omit<FirstInk, 'next'> | undefined;
  let box: Box | undefined;
  let total = 0;
  for (let x = Math.max(0, Math.floor(stretch.left)); x < Math.min(grey.width, stretch.right); x += 1) {
    let [ink, first, last] = [0, -1, -1];
    for (let y = top; y < bottom; y += 1)
      if ((grey.pixels[y * grey.width + x] as number) < dark) {
        ink += 1;
        if (first < 0) first = y;
        last = y + 1;
      }
    if (ink === 0) continue;
    const apart: boolean = !box || x - box.right > 2;
    if (box && apart && total >= least) found ??= { box, fill: total / area(box) };
    total = apart ? ink : total + ink;
    box =
      !box || apart
        ? { left: x, right: x + 1, top: first, bottom: last }
        : { left: box.left, right: x + 1, top: Math.min(box.top, first), bottom: Math.max(box.bottom, last) };
    if (found && total >= least) return { ...found, next: box.left };
  }
  return undefined;
}

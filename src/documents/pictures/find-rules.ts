import type { Box } from '../element.ts';
import type { Picture } from './picture.ts';

interface Segment {
  row: number;
  from: number;
  to: number;
}

/** Shorter dark strokes, in inches, are parts of letters. */
const shortest = { horizontal: 0.4, vertical: 0.27 };
const thickest = 0.045;
/** Breaks that noise makes in a line, in pixels. */
const breaks = 3;

/** Straight lines on a grey picture that is not skewed, as thin boxes in pixels. */
export function findRules(grey: Picture, dotsPerInch: number): Box[] {
  const dark = darkness(grey);
  const { width, height, pixels } = grey;
  const flat = segments(
    height,
    width,
    (row, at) => (pixels[row * width + at] as number) < dark,
    shortest.horizontal * dotsPerInch,
  );
  const upright = segments(
    width,
    height,
    (row, at) => (pixels[at * width + row] as number) < dark,
    shortest.vertical * dotsPerInch,
  );
  const thick = Math.max(4, thickest * dotsPerInch);
  return [
    ...merge(flat, thick).map(({ row, last, from, to }) => ({
      left: from,
      right: to,
      top: row,
      bottom: last + 1,
    })),
    ...merge(upright, thick).map(({ row, last, from, to }) => ({
      top: from,
      bottom: to,
      left: row,
      right: last + 1,
    })),
  ];
}

/** Halfway between the paper and black, at most. */
function darkness({ pixels }: Picture): number {
  const counts = new Uint32Array(256);
  for (let at = 0; at < pixels.length; at += 7)
    counts[pixels[at] as number] = (counts[pixels[at] as number] ?? 0) + 1;
  let seen = 0;
  const half = pixels.length / 7 / 2;
  const paper = counts.findIndex((count) => {
    seen += count;
    return seen >= half;
  });
  return Math.max(60, Math.min(170, paper * 0.68));
}

function segments(
  rows: number,
  length: number,
  isDark: (row: number, at: number) => boolean,
  least: number,
): Segment[] {
  const found: Segment[] = [];
  for (let row = 0; row < rows; row += 1) {
    let [from, last] = [-1, -1];
    for (let at = 0; at <= length; at += 1) {
      if (at < length && isDark(row, at)) {
        if (from < 0) from = at;
        last = at;
      } else if (from >= 0 && (at === length || at - last > breaks)) {
        if (last - from >= least) found.push({ row, from, to: last + 1 });
        from = -1;
      }
    }
  }
  return found;
}

/** Segments in neighbouring rows are one line, which may be a little skewed; thicker ones are bars or pictures. */
function merge(found: Segment[], thick: number) {
  const lines: (Segment & { last: number; rows: number })[] = [];
  for (const segment of found) {
    const line = lines
      .slice(-60)
      .findLast(
        (one) => segment.row - one.last <= 2 && segment.from <= one.to + 12 && segment.to >= one.from - 12,
      );
    if (line) {
      line.last = segment.row;
      line.from = Math.min(line.from, segment.from);
      line.to = Math.max(line.to, segment.to);
    } else lines.push({ ...segment, last: segment.row, rows: 1 });
  }
  return lines.filter((line) => line.last - line.row < thick);
}

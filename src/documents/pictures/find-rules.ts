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
/** Ink beside a line, as a share of its length. */
const mostBeside = 0.22;
/** Breaks that noise makes in a line, in pixels. */
const breaks = 2;

type Dark = (row: number, at: number) => boolean;

/** Straight lines on a grey picture that is not skewed, as thin boxes in pixels. */
export function findRules(grey: Picture, dotsPerInch: number): Box[] {
  const level = darkness(grey);
  const { width, height, pixels } = grey;
  const isDark: Dark = (y, x) => (pixels[y * width + x] as number) < level;
  const turned: Dark = (x, y) => isDark(y, x);
  const thick = Math.max(4, thickest * dotsPerInch);
  const { across, down } = segments(grey, level, {
    horizontal: shortest.horizontal * dotsPerInch,
    vertical: shortest.vertical * dotsPerInch,
  });
  const flat = merge(across, thick);
  const upright = merge(down, thick);
  return [
    ...flat
      .filter((line) => isAlone(line, height, isDark))
      .map(({ row, last, from, to }) => ({ left: from, right: to, top: row, bottom: last + 1 })),
    ...upright
      .filter((line) => isAlone(line, width, turned))
      .map(({ row, last, from, to }) => ({ top: from, bottom: to, left: row, right: last + 1 })),
  ];
}

/** There is paper on both sides of a line; rows through a word have more of its letters above and below. */
function isAlone(
  line: { row: number; last: number; from: number; to: number },
  rows: number,
  isDark: Dark,
): boolean {
  const share = (row: number) => {
    if (row < 0 || row >= rows) return 0;
    let ink = 0;
    for (let at = line.from; at < line.to; at += 1) if (isDark(row, at)) ink += 1;
    return ink / (line.to - line.from);
  };
  return Math.max(share(line.row - 4), share(line.last + 4)) < mostBeside;
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

/** Dark stretches along rows and along columns, in one pass over the pixels in their order in memory. */
function segments(
  { width, height, pixels }: Picture,
  level: number,
  least: { horizontal: number; vertical: number },
): { across: Segment[]; down: Segment[] } {
  const [across, down]: [Segment[], Segment[]] = [[], []];
  const [starts, ends] = [new Int32Array(width).fill(-1), new Int32Array(width)];
  const endColumn = (x: number) => {
    const [from, last] = [starts[x] as number, ends[x] as number];
    if (last - from >= least.vertical) down.push({ row: x, from, to: last + 1 });
    starts[x] = -1;
  };
  for (let y = 0; y < height; y += 1) {
    let [from, last] = [-1, -1];
    const row = y * width;
    for (let x = 0; x < width; x += 1) {
      if ((pixels[row + x] as number) < level) {
        if (from < 0) from = x;
        last = x;
        if ((starts[x] as number) < 0) starts[x] = y;
        ends[x] = y;
        continue;
      }
      if (from >= 0 && x - last > breaks) {
        if (last - from >= least.horizontal) across.push({ row: y, from, to: last + 1 });
        from = -1;
      }
      if ((starts[x] as number) >= 0 && y - (ends[x] as number) > breaks) endColumn(x);
    }
    if (from >= 0 && last - from >= least.horizontal) across.push({ row: y, from, to: last + 1 });
  }
  for (let x = 0; x < width; x += 1) if ((starts[x] as number) >= 0) endColumn(x);
  down.sort((a, b) => a.row - b.row || a.from - b.from);
  return { across, down };
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

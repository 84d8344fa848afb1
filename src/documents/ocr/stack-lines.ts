import type { Box } from '../element.ts';
import { crop, type Picture, resize } from '../pictures/picture.ts';

/** Lines of text, one below the other, with the place that each came from. */
export interface Stack {
  picture: Picture;
  lines: { from: Box; top: number; scale: number }[];
}

const [lineHeight, gap, edge] = [44, 26, 20];
/** Tesseract takes pictures of up to 32,767 pixels. */
const mostLines = 300;
const widest = 4_000;

/** Cuts lines from a grey page and stacks them at one height, which Tesseract reads better than a skewed page. */
export async function stackLines(grey: Picture, boxes: Box[]): Promise<Stack[]> {
  const stacks: Stack[] = [];
  for (let from = 0; from < boxes.length; from += mostLines)
    stacks.push(await stack(grey, boxes.slice(from, from + mostLines)));
  return stacks;
}

async function stack(grey: Picture, boxes: Box[]): Promise<Stack> {
  const parts: { picture: Picture; scale: number }[] = [];
  for (const box of boxes) {
    const part = crop(grey, box);
    stretchContrast(part);
    const scale = Math.min(lineHeight / part.height, widest / part.width);
    const picture = await resize(
      part,
      Math.max(1, Math.round(part.width * scale)),
      Math.max(1, Math.round(part.height * scale)),
    );
    parts.push({ picture, scale });
  }
  const width = Math.max(...parts.map((part) => part.picture.width)) + 2 * edge;
  const height = parts.length * (lineHeight + gap) + gap;
  const pixels = new Uint8Array(width * height).fill(255);
  const lines = parts.map(({ picture, scale }, index) => {
    const top = gap + index * (lineHeight + gap);
    for (let row = 0; row < picture.height; row += 1)
      pixels.set(
        picture.pixels.subarray(row * picture.width, (row + 1) * picture.width),
        (top + row) * width + edge,
      );
    return { from: boxes[index] as Box, top, scale };
  });
  return { picture: { width, height, channels: 1, pixels }, lines };
}

/** Makes paper white and ink black; light text on a dark ground is turned over. */
function stretchContrast({ pixels }: Picture): void {
  const counts = new Uint32Array(256);
  for (const value of pixels) counts[value] = (counts[value] as number) + 1;
  const level = (share: number) => {
    let seen = 0;
    return counts.findIndex((count) => {
      seen += count;
      return seen >= share * pixels.length;
    });
  };
  const turned = level(0.5) < 110;
  const [dark, light] = turned ? [255 - level(0.98), 255 - level(0.2)] : [level(0.02), level(0.8)];
  const range = Math.max(24, light - dark);
  for (let at = 0; at < pixels.length; at += 1) {
    const value = turned ? 255 - (pixels[at] as number) : (pixels[at] as number);
    pixels[at] = Math.max(0, Math.min(255, ((value - dark) * 255) / range));
  }
}

/** Where a box on the stack stands on the page, and on which line. */
export function unstack(stacked: Stack, box: Box): { line: number; box: Box } | undefined {
  const middle = (box.top + box.bottom) / 2;
  const line = Math.round((middle - gap - lineHeight / 2) / (lineHeight + gap));
  const place = stacked.lines[line];
  if (!place) return undefined;
  const { from, top, scale } = place;
  const [left, above] = [Math.max(0, Math.floor(from.left)), Math.max(0, Math.floor(from.top))];
  return {
    line,
    box: {
      left: left + (box.left - edge) / scale,
      right: left + (box.right - edge) / scale,
      top: above + (Math.max(top, box.top) - top) / scale,
      bottom: above + (Math.min(top + lineHeight, box.bottom) - top) / scale,
    },
  };
}

/** The simplest format of grey pictures. */
export function toPgm({ width, height, pixels }: Picture): Uint8Array {
  return Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`), pixels]);
}

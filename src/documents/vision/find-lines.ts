import type { Box } from '../element.ts';
import { type Picture, resize } from '../pictures/picture.ts';
import type { Model } from './models.ts';
import { toTensor } from './to-tensor.ts';

/** A line of text on a picture, with its slope in degrees (downwards to the right is positive). */
export interface DetectedLine {
  box: Box;
  slope: number;
  /** Length along the line, in pixels. */
  length: number;
}

const [threshold, leastScore, expansion] = [0.3, 0.5, 1.6];

/** Lines of text on a picture, in its pixels. */
export async function findLines(model: Model, picture: Picture, longSide = 960): Promise<DetectedLine[]> {
  const scale = Math.min(1, longSide / Math.max(picture.width, picture.height));
  const width = Math.max(32, Math.round((picture.width * scale) / 32) * 32);
  const height = Math.max(32, Math.round((picture.height * scale) / 32) * 32);
  const small = await resize(picture, width, height);
  const [output] = await model.run(toTensor(small), [1, 3, height, width]);
  const [across, down] = [picture.width / width, picture.height / height];
  return components(output as Float32Array, width, height).map((line) => ({
    ...line,
    length: line.length * across,
    box: {
      left: Math.max(0, line.box.left * across),
      top: Math.max(0, line.box.top * down),
      right: Math.min(picture.width, line.box.right * across),
      bottom: Math.min(picture.height, line.box.bottom * down),
    },
  }));
}

/** Where a line is once its picture has been turned clockwise about its middle. */
export function turnLine(
  line: DetectedLine,
  degrees: number,
  from: { width: number; height: number },
  to: { width: number; height: number },
): DetectedLine {
  const radians = (angle: number) => (angle * Math.PI) / 180;
  const [sine, cosine] = [Math.sin(radians(degrees)), Math.cos(radians(degrees))];
  const x = (line.box.left + line.box.right - from.width) / 2;
  const y = (line.box.top + line.box.bottom - from.height) / 2;
  const [middleX, middleY] = [to.width / 2 + x * cosine - y * sine, to.height / 2 + x * sine + y * cosine];
  // Short lines have no slope of their own, and share that of the page.
  const before = line.slope === 0 ? -degrees : line.slope;
  const after = before + degrees;
  const rise = (angle: number) => Math.abs(Math.tan(radians(angle))) * line.length;
  const [across, down] = [line.box.right - line.box.left, line.box.bottom - line.box.top];
  const high = Math.max(0.4 * down, down - rise(before) + rise(after));
  return {
    ...line,
    slope: after,
    box: {
      left: Math.max(0, middleX - across / 2),
      right: Math.min(to.width, middleX + across / 2),
      top: Math.max(0, middleY - high / 2),
      bottom: Math.min(to.height, middleY + high / 2),
    },
  };
}

/** Connected pixels above the threshold, found without recursion. */
function components(map: Float32Array, width: number, height: number): DetectedLine[] {
  const seen = new Uint8Array(map.length);
  const lines: DetectedLine[] = [];
  const stack: number[] = [];
  const visit = (at: number) => {
    if (seen[at] || (map[at] as number) < threshold) return;
    seen[at] = 1;
    stack.push(at);
  };
  for (let start = 0; start < map.length; start += 1) {
    if (seen[start] || (map[start] as number) < threshold) continue;
    const shape = new Shape(width);
    visit(start);
    while (stack.length > 0) {
      const at = stack.pop() as number;
      shape.add(at, map[at] as number);
      const column = at % width;
      if (column > 0) visit(at - 1);
      if (column < width - 1) visit(at + 1);
      if (at >= width) visit(at - width);
      if (at < width * (height - 1)) visit(at + width);
    }
    const line = shape.toLine();
    if (line) lines.push(line);
  }
  return lines;
}

/** Sums over the pixels of a shape, from which its direction follows. */
class Shape {
  readonly #width: number;
  #count = 0;
  #score = 0;
  #x = 0;
  #y = 0;
  #xx = 0;
  #xy = 0;
  #box: Box = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };

  constructor(width: number) {
    this.#width = width;
  }

  add(at: number, score: number): void {
    const x = at % this.#width;
    const y = (at - x) / this.#width;
    this.#count += 1;
    this.#score += score;
    this.#x += x;
    this.#y += y;
    this.#xx += x * x;
    this.#xy += x * y;
    this.#box.left = Math.min(this.#box.left, x);
    this.#box.right = Math.max(this.#box.right, x + 1);
    this.#box.top = Math.min(this.#box.top, y);
    this.#box.bottom = Math.max(this.#box.bottom, y + 1);
  }

  /** The detector marks a shrunken core of each line, which is expanded by its area over its circumference. */
  toLine(): DetectedLine | undefined {
    const count = this.#count;
    const { left, top, right, bottom } = this.#box;
    const [across, down] = [right - left, bottom - top];
    if (count < 8 || Math.min(across, down) < 2 || this.#score / count < leastScore) return undefined;
    const variance = this.#xx - (this.#x * this.#x) / count;
    const slope = variance > 0 ? (this.#xy - (this.#x * this.#y) / count) / variance : 0;
    const thickness = Math.max(2, down - Math.abs(slope) * across);
    const grow = (across * thickness * expansion) / (2 * (across + thickness));
    return {
      slope: across > 3 * thickness ? (Math.atan(slope) * 180) / Math.PI : 0,
      length: across,
      box: { left: left - grow, top: top - grow, right: right + grow, bottom: bottom + grow },
    };
  }
}

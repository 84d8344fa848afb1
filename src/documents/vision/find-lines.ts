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

/** Connected pixels above the threshold, found without recursion. */
function components(map: Float32Array, width: number, height: number): DetectedLine[] {
  const seen = new Uint8Array(map.length);
  const lines: DetectedLine[] = [];
  const stack: number[] = [];
  for (let start = 0; start < map.length; start += 1) {
    if (seen[start] || (map[start] as number) < threshold) continue;
    const shape = new Shape(width);
    seen[start] = 1;
    stack.push(start);
    while (stack.length > 0) {
      const at = stack.pop() as number;
      shape.add(at, map[at] as number);
      const column = at % width;
      const near = [column > 0 ? at - 1 : -1, column < width - 1 ? at + 1 : -1, at - width, at + width];
      for (const next of near)
        if (next >= 0 && next < width * height && !seen[next] && (map[next] as number) >= threshold) {
          seen[next] = 1;
          stack.push(next);
        }
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

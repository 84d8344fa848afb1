import { median, type Quarter, union } from '../layout/geometry.ts';
import { crop, type Picture, rotate } from '../pictures/picture.ts';
import { type DetectedLine, findLines, turnLine } from '../vision/find-lines.ts';
import type { Vision } from '../vision/open-vision.ts';
import { findOrientation } from '../vision/orientation.ts';

/** A picture of a page, upright, with its lines of text. */
export interface UprightPage {
  picture: Picture;
  /** Degrees by which it was turned clockwise. */
  turned: number;
  lines: DetectedLine[];
}

/** Smaller slopes, in degrees, do no harm. */
const leastSkew = 0.2;
/** Up to this slope, detected lines are turned with the page, which saves detecting them again. */
const mostTurned = 4;
/** A page with little text looks much the same from all sides; its longest lines do not. */
const [leastScore, longestLines] = [0.6, 3];

export async function straighten(
  vision: Vision,
  picture: Picture,
  signal?: AbortSignal,
): Promise<UprightPage> {
  const quarter = await quarterOf(vision, picture);
  let degrees = quarter === 0 ? 0 : 360 - 90 * quarter;
  let turned = quarter === 0 ? picture : await rotate(picture, degrees);
  const model = await vision.lines();
  let lines = await findLines(model, turned);
  signal?.throwIfAborted();
  const skew = skewOf(lines);
  if (Math.abs(skew) > leastSkew && Math.abs(skew) < 20) {
    const straight = await rotate(turned, -skew);
    lines =
      Math.abs(skew) < mostTurned
        ? lines.map((line) => turnLine(line, -skew, turned, straight))
        : await findLines(model, straight);
    turned = straight;
    degrees -= skew;
  }
  return { picture: turned, turned: degrees, lines };
}

async function quarterOf(vision: Vision, picture: Picture): Promise<Quarter> {
  const model = await vision.orientation();
  const seen = await findOrientation(model, picture);
  if (seen.score >= leastScore) return seen.quarter;
  const length = ({ box }: DetectedLine) => Math.max(box.right - box.left, box.bottom - box.top);
  const lines = (await findLines(await vision.lines(), picture)).toSorted((a, b) => length(b) - length(a));
  if (lines.length === 0) return 0;
  const text = crop(picture, union(lines.slice(0, longestLines).map((line) => line.box)));
  return (await findOrientation(model, text)).quarter;
}

/** The slope of most lines, the longer ones counting more. */
function skewOf(lines: DetectedLine[]): number {
  const long = lines.filter(
    (line) => line.length > 8 * (line.box.bottom - line.box.top) || line.length > 200,
  );
  return median(
    long.flatMap((line) => Array.from({ length: Math.ceil(line.length / 100) }, () => line.slope)),
  );
}

import type { Box } from '../element.ts';
import { area, overlap } from '../layout/geometry.ts';
import type { RegionRole } from '../layout/page-content.ts';
import { type Picture, resize } from '../pictures/picture.ts';
import type { Model } from './models.ts';
import { toTensor } from './to-tensor.ts';

export interface PageRegion {
  role: RegionRole;
  score: number;
  box: Box;
}

const [inputWidth, inputHeight] = [608, 800];
const strides = [8, 16, 32, 64];
const bins = 8;
const classes: { role: RegionRole; least: number }[] = [
  { role: 'text', least: 0.35 },
  { role: 'title', least: 0.25 },
  { role: 'figure', least: 0.5 },
  { role: 'figure caption', least: 0.35 },
  { role: 'table', least: 0.4 },
  { role: 'table caption', least: 0.35 },
  { role: 'header', least: 0.4 },
  { role: 'footer', least: 0.35 },
  { role: 'reference', least: 0.35 },
  { role: 'equation', least: 0.5 },
];

/** The regions that the layout model sees on a page, in the picture's pixels. */
export async function findRegions(model: Model, picture: Picture): Promise<PageRegion[]> {
  const small = await resize(picture, inputWidth, inputHeight);
  const outputs = await model.run(toTensor(small, { order: 'bgr' }), [1, 3, inputHeight, inputWidth]);
  const found = strides.flatMap((stride, level) =>
    decode(outputs[level] as Float32Array, outputs[level + strides.length] as Float32Array, stride),
  );
  const [across, down] = [picture.width / inputWidth, picture.height / inputHeight];
  return withoutDuplicates(found).map((region) => ({
    ...region,
    box: {
      left: Math.max(0, region.box.left * across),
      top: Math.max(0, region.box.top * down),
      right: Math.min(picture.width, region.box.right * across),
      bottom: Math.min(picture.height, region.box.bottom * down),
    },
  }));
}

function decode(scores: Float32Array, sides: Float32Array, stride: number): PageRegion[] {
  const columns = Math.ceil(inputWidth / stride);
  const regions: PageRegion[] = [];
  for (let cell = 0; cell < scores.length / classes.length; cell += 1)
    classes.forEach(({ role, least }, index) => {
      const score = scores[cell * classes.length + index] as number;
      if (score < least) return;
      const x = ((cell % columns) + 0.5) * stride;
      const y = (Math.floor(cell / columns) + 0.5) * stride;
      const side = (at: number) => distance(sides, (cell * 4 + at) * bins) * stride;
      regions.push({
        role,
        score,
        box: { left: x - side(0), top: y - side(1), right: x + side(2), bottom: y + side(3) },
      });
    });
  return regions;
}

/** The expected value of a distribution over the bins. */
function distance(sides: Float32Array, from: number): number {
  const values = sides.subarray(from, from + bins);
  const highest = Math.max(...values);
  let [sum, weighted] = [0, 0];
  values.forEach((value, bin) => {
    const weight = Math.exp(value - highest);
    sum += weight;
    weighted += weight * bin;
  });
  return weighted / sum;
}

/** The better of two regions that cover the same place, first within a class, then across classes. */
function withoutDuplicates(regions: PageRegion[]): PageRegion[] {
  const kept: PageRegion[] = [];
  for (const region of regions.toSorted((a, b) => b.score - a.score))
    if (!kept.some((other) => covers(other, region))) kept.push(region);
  return kept;
}

function covers(a: PageRegion, b: PageRegion): boolean {
  const both = overlap(a.box, b.box);
  const ratio = both / (area(a.box) + area(b.box) - both);
  if (ratio > 0.5) return true;
  return a.role !== b.role && both > 0.75 * Math.min(area(a.box), area(b.box));
}

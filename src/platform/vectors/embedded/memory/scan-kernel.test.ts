import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../../../test/testkit/random.ts';
import { dot, randomVector } from '../../../../../test/testkit/stores/vectors.ts';
import { DenseCodes } from './dense-codes.ts';
import { quantise, quantiseQuery } from './quantise.ts';
import { scanKernel } from './scan-kernel.ts';

describe('scanKernel', () => {
  it.each([16, 48, 384, 1024, 16_384])(
    'computes the dot products of %d codes as JavaScript does',
    (stride) => {
      const random = seededRandom(stride);
      const { memory, scan } = scanKernel();
      const count = 37;
      const [query, vectors] = [0, stride * 2];
      const out = vectors + stride * count;
      memory.grow(Math.ceil((out + count * 4) / 65_536));
      const codes = new Int8Array(memory.buffer, vectors, stride * count);
      for (let index = 0; index < codes.length; index++) codes[index] = random.below(256) - 128;
      const limit = Math.floor(2 ** 31 / (stride * 128));
      const queryCodes = new Int16Array(memory.buffer, query, stride);
      for (let index = 0; index < stride; index++)
        queryCodes[index] = random.below(2 * Math.min(limit, 32_767)) - Math.min(limit, 32_767);
      scan(vectors, count, stride, query, out);
      const expected = Array.from({ length: count }, (_, row) => {
        let sum = 0;
        for (let index = 0; index < stride; index++)
          sum += (codes[row * stride + index] as number) * (queryCodes[index] as number);
        return sum;
      });
      expect([...new Int32Array(memory.buffer, out, count)]).toEqual(expected);
    },
  );
});

describe('DenseCodes', () => {
  it.each([1, 7, 16, 384, 16_384])('approximates the cosines of %d dimensions', (dimensions) => {
    const random = seededRandom(1);
    const vectors = Array.from({ length: 60 }, () => randomVector(random, dimensions));
    const codes = new DenseCodes(dimensions);
    for (const [slot, vector] of vectors.entries()) if (slot !== 5) codes.set(slot, quantise(vector));
    const query = randomVector(random, dimensions);
    const scores = new Map<number, number>();
    codes.scan(query, 50, (slot, score) => scores.set(slot, score));
    expect([...scores.keys()]).toEqual(
      Array.from({ length: 50 }, (_, slot) => slot).filter((it) => it !== 5),
    );
    for (const [slot, score] of scores)
      expect(score).toBeCloseTo(dot(vectors[slot] as Float32Array, query), 2);
  });

  it('scans more vectors than fit into one block, after growing', () => {
    const codes = new DenseCodes(3);
    const count = 10_000;
    for (let slot = 0; slot < count; slot++)
      codes.set(slot, quantise(Float32Array.of(Math.cos(slot), Math.sin(slot), 0)));
    let wrong = 0;
    let seen = 0;
    codes.scan(Float32Array.of(1, 0, 0), count, (slot, score) => {
      seen++;
      if (Math.abs(score - Math.cos(slot)) > 0.01) wrong++;
    });
    expect({ seen, wrong }).toEqual({ seen: count, wrong: 0 });
  });
});

describe('quantiseQuery', () => {
  it.each<[string, (index: number) => number]>([
    ['equal components', () => 1],
    ['one large component', (index) => (index === 0 ? 1 : 1e-9)],
    ['alternating signs', (index) => (index % 2 ? -1 : 1)],
  ])('never lets a sum of %s exceed 32 bits', (_, component) => {
    for (const dimensions of [1, 384, 16_384]) {
      const vector = Float32Array.from({ length: dimensions }, (_, index) => component(index));
      const query = new Int16Array(dimensions);
      quantiseQuery(vector, query);
      const { codes } = quantise(vector);
      const sum = codes.reduce((sum, code, index) => sum + Math.abs(code * (query[index] as number)), 0);
      expect(sum).toBeLessThan(2 ** 31);
    }
  });
});

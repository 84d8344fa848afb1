import { getLlama, type Llama, LlamaLogLevel } from 'node-llama-cpp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Bounds } from './number-bounds.ts';
import { integerRange, numberRange } from './number-range.ts';

let llama: Llama;
beforeAll(async () => {
  llama = await getLlama({ build: 'never', gpu: false, logLevel: LlamaLogLevel.disabled });
});
afterAll(() => llama.dispose());

async function matcher(rule: string): Promise<(text: string) => boolean> {
  const grammar = await llama.createGrammar({ grammar: `root ::= ${rule}\n` });
  return (text) => (grammar as unknown as { _testText(text: string): boolean })._testText(text);
}

const fits = (value: number, bounds: Record<string, number>) =>
  value >= (bounds.minimum ?? Number.NEGATIVE_INFINITY) &&
  value <= (bounds.maximum ?? Number.POSITIVE_INFINITY) &&
  value > (bounds.exclusiveMinimum ?? Number.NEGATIVE_INFINITY) &&
  value < (bounds.exclusiveMaximum ?? Number.POSITIVE_INFINITY);

const ranges: Record<string, number>[] = [
  { minimum: 0, maximum: 2 ** 63 },
  { minimum: -(2 ** 63), maximum: 2 ** 63 },
  { maximum: 2 ** 64 },
  { minimum: -1e308, maximum: 1e308 },
  { minimum: -0, maximum: 0 },
  { exclusiveMinimum: 0 },
  { exclusiveMaximum: 0 },
  { exclusiveMinimum: -0.5, exclusiveMaximum: 0.5 },
  { minimum: 0.1, maximum: 0.9 },
  { minimum: 0.15, exclusiveMaximum: 0.95 },
  { minimum: -1.25, maximum: 3.5 },
  { exclusiveMinimum: 1, exclusiveMaximum: 2 },
  { exclusiveMinimum: 5e-324 },
  { minimum: 1e-7, maximum: 1.5e-7 },
  { minimum: 2.5, maximum: 2.5 },
  { minimum: 17, maximum: 4096 },
  { minimum: -4096, maximum: -17 },
  { minimum: 3, exclusiveMinimum: 3, maximum: 12.5 },
  { exclusiveMinimum: 0.999, maximum: 1.001 },
];
const numbers = [
  '0 1 2 3 4 9 10 12 16 17 18 99 100 4095 4096 4097 9999999999999999 0.1 0.05 0.15 0.149 0.5 0.9 0.94 0.95',
  '0.951 0.09 0.99 1.0 1.2 1.24 1.25 1.26 1.9 2.0 2.5 2.50 2.51 2.49 3.5 3.49 3.51 12.5 12.51 0.0000001',
  '0.00000015 0.00000016 0.00000009 0.999 0.9991 0.9990 1.001 1.0011 1.0009 0.4999 0.0',
]
  .join(' ')
  .split(' ')
  .flatMap((text) => [text, `-${text}`]);

describe.each(ranges)('numbers from %j', (bounds) => {
  it('are written exactly where they lie between', async () => {
    const matches = await matcher(numberRange(bounds, '#'));
    for (const text of numbers.filter((text) => Number(text) !== 0 || !text.startsWith('-')))
      expect(`${text}: ${matches(text)}`).toBe(`${text}: ${fits(Number(text), bounds)}`);
  });
});

describe.each(ranges.filter((bounds) => [0, 1, -1, 5, -20, 20].some((value) => fits(value, bounds))))(
  'integers from %j',
  (bounds) => {
    it('are written exactly where they lie between', async () => {
      const matches = await matcher(integerRange(bounds, '#'));
      for (const text of numbers.filter((text) => /^-?[^.]+$/.test(text) && text !== '-0'))
        expect(`${text}: ${matches(text)}`).toBe(`${text}: ${fits(Number(text), bounds)}`);
      expect(matches('1.0')).toBe(false);
      expect(matches('12345678901234567')).toBe(false);
    });
  },
);

describe('bounds', () => {
  it('may be booleans, as in the fourth draft', async () => {
    const matches = await matcher(integerRange({ minimum: 3, exclusiveMinimum: true, maximum: 5 }, '#'));
    expect(['3', '4', '5', '6'].map(matches)).toEqual([false, true, true, false]);
  });

  it('beyond sixteen digits are kept where the range lies wholly there', async () => {
    const matches = await matcher(integerRange({ minimum: 2 ** 60 }, '#'));
    expect(matches(String(BigInt(2 ** 60)))).toBe(true);
    expect(matches(String(BigInt(2 ** 60) - 1n))).toBe(false);
    expect(matches('99999999999999999999')).toBe(true);
  });

  it.each<[Bounds]>([
    [{ minimum: 1e21 }],
    [{ maximum: -1e300 }],
    [{ minimum: Number.POSITIVE_INFINITY }],
    [{ minimum: 2, maximum: 1 }],
    [{ minimum: 1, exclusiveMaximum: 1 }],
    [{ minimum: 1e-300, maximum: 2e-300 }],
    [{ minimum: '1' }],
    [{ maximum: {} }],
  ])('that nothing can be written between are refused: %j', (bounds) => {
    expect(() => numberRange(bounds, '#')).toThrow(/JSON schema can't be used/);
  });

  it.each([Number.MAX_VALUE, -Number.MAX_VALUE, Number.MIN_VALUE, 2 ** 53, 2 ** 63, 1e16, 0.1 + 0.2])(
    'of any size make a rule of bounded size: %d',
    (value) => {
      for (const range of [numberRange, integerRange])
        for (const key of ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']) {
          let length = 0;
          try {
            length = range({ [key]: value }, '#').length;
          } catch (error) {
            expect((error as Error).message).toMatch(/can't be used/);
          }
          expect(length).toBeLessThan(5_000);
        }
    },
  );
});

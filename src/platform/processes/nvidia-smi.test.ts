import { expect, test } from 'vitest';
import { parseRows } from './nvidia-smi.ts';

test('reads a row of numbers per GPU', () => {
  expect(parseRows('1024, 81920, 37\n0, 81920, 0\n', 3)).toEqual([
    [1024, 81920, 37],
    [0, 81920, 0],
  ]);
});

test('leaves out rows that are not numbers, and answers that are no rows', () => {
  expect(parseRows('512, [N/A]\n256, 1024\n', 2)).toEqual([[256, 1024]]);
  expect(parseRows('No devices were found', 1)).toEqual([]);
  expect(parseRows('', 1)).toEqual([]);
});

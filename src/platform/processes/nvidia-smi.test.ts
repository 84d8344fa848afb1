import { expect, test } from 'vitest';
import { parseGpus, parseRows } from './nvidia-smi.ts';

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

test('describes the GPUs by name; what a card does not measure counts as idle', () => {
  expect(parseGpus('NVIDIA H200, 1024, 143771, 37\nNVIDIA GB10, 8, 122880, [N/A]\n')).toEqual([
    {
      name: 'NVIDIA H200',
      memory_used_bytes: 2 ** 30,
      memory_total_bytes: 143771 * 2 ** 20,
      utilization: 0.37,
    },
    { name: 'NVIDIA GB10', memory_used_bytes: 2 ** 23, memory_total_bytes: 120 * 2 ** 30, utilization: 0 },
  ]);
  expect(parseGpus('No devices were found')).toEqual([]);
});

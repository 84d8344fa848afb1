import { expect, test } from 'vitest';
import { gpuLine } from './describe-status.ts';

test('a GPU has the number that --gpus takes', () => {
  const gpu = { name: 'NVIDIA H200', memory_used_bytes: 9e9, memory_total_bytes: 150e9, utilization: 0.314 };
  expect(gpuLine(1, gpu)).toBe('GPU 1   9.0 GB used of 150.0 GB, 31 % busy  (NVIDIA H200)');
});

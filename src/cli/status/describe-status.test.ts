import { expect, test } from 'vitest';
import { botsLine, gpuLine } from './describe-status.ts';

test('a GPU has the number that --gpus takes', () => {
  const gpu = { name: 'NVIDIA H200', memory_used_bytes: 9e9, memory_total_bytes: 150e9, utilization: 0.314 };
  expect(gpuLine(1, gpu)).toBe('GPU 1   9.0 GB used of 150.0 GB, 31 % busy  (NVIDIA H200)');
});

test('bots are counted by their status, with where to ask them', () => {
  const counts = { ready: 2, creating: 0, failed: 1, empty: 0 };
  expect(botsLine('http://x', counts)).toBe(
    'bots    2 ready, 1 failed  (list them with: roundhouse bots list; ask one at http://x/agent/<bot>)',
  );
  expect(botsLine('http://x', { ready: 0, creating: 0, failed: 0, empty: 0 })).toContain('create-bot');
});

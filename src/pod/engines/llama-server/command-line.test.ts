import { expect, test } from 'vitest';
import { llamaServerArguments } from './command-line.ts';

const options = {
  task: 'llm',
  model: import.meta.filename,
  servedModelName: 'tiny',
  environment: {},
  log: () => {},
} as const;
const argumentsFor = (more: object) => llamaServerArguments({ ...options, ...more }, [], 8000).join(' ');

test('GPU options become flags of the server', () => {
  const flags = argumentsFor({ maxModelLen: 1000, gpuIds: '0,1', tensorParallel: 2 });
  expect(flags).toContain('--parallel 4 --ctx-size 4000 --n-gpu-layers 999 --tensor-split 1,1');
});

test.each([undefined, '', '-1'])('CUDA_VISIBLE_DEVICES=%s: no layers on a GPU', (gpuIds) => {
  expect(argumentsFor({ gpuIds })).not.toContain('gpu');
});

import { expect, test } from 'vitest';
import { describeHardware, readHardware } from './describe-hardware.ts';

const summary = '| NVIDIA-SMI 570.86.15     Driver Version: 570.86.15      CUDA Version: 12.8     |';

test('names the GPUs, their driver and its CUDA', () => {
  const rows =
    '570.86.15, NVIDIA H200, 143771\n570.86.15, NVIDIA H200, 143771\n570.86.15, NVIDIA L4, [N/A]\n';
  expect(readHardware(rows, summary)).toEqual({
    driver_version: '570.86.15',
    cuda_version: '12.8',
    hardware: '2 × NVIDIA H200 (140 GiB), NVIDIA L4',
  });
});

test('leaves out what the driver does not say', () => {
  expect(readHardware('570.86.15, NVIDIA L4, 23034', '')).toMatchObject({ cuda_version: null });
  expect(readHardware('No devices were found', '')).toBeUndefined();
  expect(readHardware('', '')).toBeUndefined();
});

test('always says something', async () => {
  expect((await describeHardware()).hardware).not.toBe('');
});

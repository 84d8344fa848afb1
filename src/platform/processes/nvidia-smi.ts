import { execFile } from 'node:child_process';

/**
 * Queries the NVIDIA driver for columns such as `memory.free`; returns one row of numbers per GPU, for all GPUs unless
 * ids are given. Empty if there is no driver or it does not answer in time.
 */
export function queryGpus(columns: readonly string[], gpuIds?: string): Promise<number[][]> {
  const args = [`--query-gpu=${columns.join(',')}`, '--format=csv,noheader,nounits'];
  return new Promise((resolve) => {
    execFile('nvidia-smi', gpuIds ? ['-i', gpuIds, ...args] : args, { timeout: 4_000 }, (error, output) =>
      resolve(error ? [] : parseRows(output, columns.length)),
    );
  });
}

/** Rows with a column that is not a number (`[N/A]` on some cards) are left out. */
export function parseRows(csv: string, columns: number): number[][] {
  return csv
    .split('\n')
    .map((line) => line.split(',').map((cell) => Number.parseFloat(cell)))
    .filter((row) => row.length === columns && row.every(Number.isFinite));
}

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

export interface Gpu {
  name: string;
  memory_used_bytes: number;
  memory_total_bytes: number;
  /** 0 to 1. */
  utilization: number;
}

/** The GPUs of this machine by name; empty if there is no driver or it does not answer in time. */
export function listGpus(): Promise<Gpu[]> {
  const args = ['--query-gpu=name,memory.used,memory.total,utilization.gpu', '--format=csv,noheader,nounits'];
  return new Promise((resolve) => {
    execFile('nvidia-smi', args, { timeout: 4_000 }, (error, output) =>
      resolve(error ? [] : parseGpus(output)),
    );
  });
}

export function parseGpus(csv: string): Gpu[] {
  return csv.split('\n').flatMap((line) => {
    const [name = '', ...numbers] = line.split(',').map((cell) => cell.trim());
    const [used, total, busy] = numbers.map(Number.parseFloat);
    if (name === '' || used === undefined || total === undefined || !Number.isFinite(used + total)) return [];
    const utilization = Number.isFinite(busy) ? (busy ?? 0) / 100 : 0;
    return [{ name, memory_used_bytes: used * 2 ** 20, memory_total_bytes: total * 2 ** 20, utilization }];
  });
}

/** Rows with a column that is not a number (`[N/A]` on some cards) are left out. */
export function parseRows(csv: string, columns: number): number[][] {
  return csv
    .split('\n')
    .map((line) => line.split(',').map((cell) => Number.parseFloat(cell)))
    .filter((row) => row.length === columns && row.every(Number.isFinite));
}

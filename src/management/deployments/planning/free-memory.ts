import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { FreeMemory } from './check-memory.ts';

/** Within the limits of a container, where there are any. */
export async function freeMemory(): Promise<FreeMemory> {
  return { ram: process.availableMemory(), gpu: await freeGpuMemory() };
}

async function freeGpuMemory(): Promise<number | null> {
  const query = ['--query-gpu=memory.free', '--format=csv,noheader,nounits'];
  const answer = await promisify(execFile)('nvidia-smi', query, { timeout: 5_000 }).catch(() => undefined);
  const mebibytes = (answer?.stdout ?? '').split('\n').map(Number.parseFloat).filter(Number.isFinite);
  return mebibytes.length === 0 ? null : Math.max(...mebibytes) * 2 ** 20;
}

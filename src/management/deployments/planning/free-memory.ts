import { queryGpus } from '../../../platform/processes/nvidia-smi.ts';
import type { FreeMemory } from './check-memory.ts';

/** Respects container limits. */
export async function freeMemory(): Promise<FreeMemory> {
  const free = (await queryGpus(['memory.free'])).map(([mebibytes = 0]) => mebibytes * 2 ** 20);
  return { ram: process.availableMemory(), gpu: free.length === 0 ? null : Math.max(...free) };
}

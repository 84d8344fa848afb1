import type { Environment } from '../../../platform/config/environment.ts';
import { queryGpus } from '../../../platform/processes/nvidia-smi.ts';
import type { FreeMemory } from './check-memory.ts';

const mebibyte = 2 ** 20;

/** Respects container limits, and the GPUs that CUDA_VISIBLE_DEVICES leaves to this process. */
export function freeMemoryOf(environment: Environment): () => Promise<FreeMemory> {
  const visible = environment.CUDA_VISIBLE_DEVICES;
  return async () => {
    // Nothing, -1 and the like hide every GPU.
    const hidden = visible !== undefined && !/^[^-]/.test(visible);
    const rows = hidden ? [] : await queryGpus(['index', 'memory.free', 'memory.total'], visible);
    return {
      ram: process.availableMemory(),
      gpus: rows.map(([index = 0, free = 0, total = 0]) => ({
        index,
        free: free * mebibyte,
        total: total * mebibyte,
      })),
    };
  };
}

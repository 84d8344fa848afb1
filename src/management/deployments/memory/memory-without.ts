import type { EngineOptions } from '../../../contracts/engine-options.ts';
import { type FreeMemory, reservedShare } from './check-memory.ts';

interface RunningPods {
  engine: string;
  options: EngineOptions;
  memory_bytes: number | null;
  /** The `gpu_id` of each pod that runs on this machine. */
  gpuIds: readonly (string | undefined)[];
}

/** An estimate of the free memory once these pods have stopped. */
export function memoryWithout(free: FreeMemory, pods: RunningPods): FreeMemory {
  const gpus = free.gpus.map((gpu) => ({ ...gpu }));
  const share = reservedShare(pods.engine, pods.options);
  let { ram } = free;
  for (const gpuId of pods.gpuIds) {
    const own = gpus.filter(({ index }) => gpuId?.split(',').includes(String(index)));
    const used = own.length === 0 && pods.engine === 'vllm' ? gpus.slice(0, 1) : own;
    for (const gpu of used) {
      const held = share === undefined ? (pods.memory_bytes ?? 0) / used.length : share * gpu.total;
      gpu.free = Math.min(gpu.total, gpu.free + held);
    }
    if (used.length === 0) ram += pods.memory_bytes ?? 0;
  }
  return { ram, gpus };
}

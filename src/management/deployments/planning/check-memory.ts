/** Free memory of this machine, in bytes. */
export interface FreeMemory {
  ram: number;
  /** Of the GPU with the most free memory; null without a GPU. */
  gpu: number | null;
}

/** Why the pods of a model don't fit in the free memory, with figures; undefined if they do. */
export function shortageOf(
  { model_id, memory_bytes }: { model_id: string; memory_bytes: number | null },
  pods: number,
  engine: string,
  free: FreeMemory,
): string | undefined {
  if (memory_bytes === null) return undefined;
  const onGpu = engine === 'vllm' && free.gpu !== null;
  const needed = memory_bytes * pods;
  const available = onGpu ? (free.gpu as number) : free.ram;
  if (needed <= available) return undefined;
  const what = pods === 1 ? `'${model_id}' needs` : `${pods} pods of '${model_id}' need`;
  return (
    `${what} about ${gigabytes(needed)} of ${onGpu ? 'GPU memory' : 'memory'}, but only ${gigabytes(available)} is free; ` +
    'the current deployment serves until the new one is ready, so both must fit'
  );
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(bytes < 1e9 ? 2 : 1)} GB`;
}

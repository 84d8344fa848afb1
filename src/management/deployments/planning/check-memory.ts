/** What is free on this machine now, in bytes. */
export interface FreeMemory {
  ram: number;
  /** Of the GPU with the most room; null where there is none. */
  gpu: number | null;
}

/** Why so many pods of a model don't fit beside what runs, with the numbers; undefined where they do. */
export function shortageOf(
  { model_id, memory_bytes }: { model_id: string; memory_bytes: number | null },
  pods: number,
  engine: string,
  free: FreeMemory,
): string | undefined {
  if (memory_bytes === null) return undefined;
  const onGpu = engine === 'vllm' && free.gpu !== null;
  const needed = memory_bytes * pods;
  const there = onGpu ? (free.gpu as number) : free.ram;
  if (needed <= there) return undefined;
  const what = pods === 1 ? `'${model_id}' needs` : `${pods} pods of '${model_id}' need`;
  return (
    `${what} about ${gigabytes(needed)} of ${onGpu ? 'GPU memory' : 'memory'}, and ${gigabytes(there)} are free; ` +
    'what is deployed now serves until the new one is ready, so both must fit'
  );
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(bytes < 1e9 ? 2 : 1)} GB`;
}

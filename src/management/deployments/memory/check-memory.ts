import type { EngineOptions } from '../../../contracts/engine-options.ts';

/** Free memory of this machine, in bytes. */
export interface FreeMemory {
  ram: number;
  gpus: readonly GpuMemory[];
}

export interface GpuMemory {
  index: number;
  free: number;
  total: number;
}

interface PlannedPods {
  model: { model_id: string; memory_bytes: number | null };
  engine: string;
  replicas: number;
  options: EngineOptions;
  /** The GPUs of each pod; undefined without. */
  placement: readonly (readonly number[])[] | undefined;
}

/** What vLLM uses if it is not told otherwise. */
const vllmShare = 0.9;

/** The share of each GPU that a pod reserves as soon as it starts; undefined for engines that take what they need. */
export const reservedShare = (engine: string, { gpu_memory_utilization }: EngineOptions) =>
  engine === 'vllm' ? (gpu_memory_utilization ?? vllmShare) : undefined;

/** Why the pods of a model don't fit in the free memory, with figures; undefined if they do. */
export function shortageOf(pods: PlannedPods, free: FreeMemory): string | undefined {
  const gpus = new Map(free.gpus.map((gpu) => [gpu.index, gpu]));
  const placement = pods.placement?.map((ids) => ids.flatMap((id) => gpus.get(id) ?? []));
  const isPlaced = placement?.every((own) => own.length > 0) ?? false;
  return isPlaced && placement ? gpuShortage(pods, placement, free) : ramShortage(pods, free);
}

function ramShortage({ model, replicas }: PlannedPods, { ram }: FreeMemory): string | undefined {
  if (model.memory_bytes === null || model.memory_bytes * replicas <= ram) return undefined;
  const what = replicas === 1 ? `'${model.model_id}' needs` : `${replicas} pods of '${model.model_id}' need`;
  const needed = gigabytes(model.memory_bytes * replicas);
  return `${what} about ${needed} of memory, but only ${gigabytes(ram)} is free`;
}

function gpuShortage(
  { model, engine, options }: PlannedPods,
  placement: readonly (readonly GpuMemory[])[],
  { ram }: FreeMemory,
): string | undefined {
  const users = new Map<GpuMemory, number>();
  for (const gpu of placement.flat()) users.set(gpu, (users.get(gpu) ?? 0) + 1);
  const share = reservedShare(engine, options);
  if (share !== undefined) {
    for (const [gpu, pods] of users) {
      const reserved = share * gpu.total * pods;
      if (reserved > gpu.free) return reservationProblem(gpu, reserved, share, pods);
    }
  }
  const limit = share ?? options.gpu_memory_utilization ?? 1;
  // llama.cpp keeps in memory the layers that don't fit on its GPUs.
  const beside = engine === 'llamacpp' ? ram / placement.length : 0;
  for (const own of placement) {
    const available = own.reduce(
      (sum, gpu) => sum + usable(gpu, limit, share !== undefined, users.get(gpu) ?? 1),
      beside,
    );
    if (model.memory_bytes !== null && model.memory_bytes > available) {
      const names = own.map(({ index }) => index);
      const where = `${names.length === 1 ? 'GPU' : 'GPUs'} ${names.join(', ')}`;
      const needed = gigabytes(model.memory_bytes);
      const counted = limit < 1 ? ` at a gpu_memory_utilization of ${limit}` : '';
      return `'${model.model_id}' needs about ${needed} of GPU memory, but only ${gigabytes(available)} is free on ${where}${counted}`;
    }
  }
  return undefined;
}

/** What one pod can use of a GPU: a fixed share, or else what is free below the limit, divided among its pods. */
function usable({ free, total }: GpuMemory, limit: number, fixed: boolean, pods: number): number {
  return fixed ? limit * total : Math.max(0, free - (1 - limit) * total) / pods;
}

function reservationProblem(gpu: GpuMemory, reserved: number, share: number, pods: number): string {
  const percent = `${Math.round(share * 100)} %`;
  const who = pods === 1 ? `vllm reserves ${percent}` : `${pods} pods with vllm reserve ${percent} each`;
  return (
    `${who} of the memory of GPU ${gpu.index} (${gigabytes(reserved)}), but only ${gigabytes(gpu.free)} of ` +
    `${gigabytes(gpu.total)} is free; a lower gpu_memory_utilization takes less`
  );
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(bytes < 1e9 ? 2 : 1)} GB`;
}

import { availableParallelism } from 'node:os';
import type { Llama } from 'node-llama-cpp';

export interface LlamaCppOptions {
  /** The GGUF file, or the first file of a split model. */
  modelPath: string;
  /** Maximum number of tokens of prompt and answer together. Default: the model's own limit, at most 8,192. */
  contextLength?: number;
  /** Number of concurrent generations. Default 4. */
  parallel?: number;
  /** Default: all cores but one. With more, speed collapses as soon as anything else runs on the machine. */
  threads?: number;
  /** Initial adapters: name → LoRA file in GGUF format. */
  adapters?: Record<string, string>;
  /** Maximum number of adapter contexts in memory. Default 4. */
  residentAdapters?: number;
  /** Number of layers to put on a GPU, if the installed binaries support one. Default: as many as fit. */
  gpuLayers?: number | 'auto' | 'max';
  /** Share of the GPUs' memory that may be used. */
  gpuMemoryUtilization?: number;
  /** False never uses a GPU. */
  gpu?: boolean;
  /** An already loaded library, for several engines in one process; its thread and GPU settings then apply. */
  llama?: Llama;
  /** Available memory in bytes. Default: as reported by the system or container. */
  availableMemory?(): number;
  /** Called with a fraction from 0 to 1 while the weights are loaded. */
  onProgress?(share: number): void;
}

export const defaultThreads = (): number => Math.max(1, availableParallelism() - 1);
export const defaultContextLimit = 8192;
export const defaultParallel = 4;
export const defaultResidentAdapters = 4;
/** Twice the limit of a deployment: during a change, new adapters are loaded before the old ones are removed. */
export const maxAdapters = 40;

import { availableParallelism } from 'node:os';
import type { Llama } from 'node-llama-cpp';

export interface LlamaCppOptions {
  /** The GGUF file; of a model in pieces, the first. */
  modelPath: string;
  /** Most tokens of prompt and answer together. Default: the model's own, but not above 8,192. */
  contextLength?: number;
  /** Answers generated side by side. Default 4. */
  parallel?: number;
  /** Default: all cores but one. A thread too many collapses as soon as anything else runs on the machine. */
  threads?: number;
  /** Adapters to begin with: name → LoRA file in GGUF. */
  adapters?: Record<string, string>;
  /** How many adapters' contexts may be held in memory at once. Default 4. */
  residentAdapters?: number;
  /** Layers to put on a GPU, where the installed binaries know one. Default: as many as fit. */
  gpuLayers?: number | 'auto' | 'max';
  /** False never uses a GPU. */
  gpu?: boolean;
  /** The loaded library, where several engines share a process; its threads and GPU are then those it has. */
  llama?: Llama;
  /** Bytes of memory that may still be taken. Default: what the system, or the container, says. */
  availableMemory?(): number;
  /** Called with 0..1 while the weights are read. */
  onProgress?(share: number): void;
}

export const defaultThreads = (): number => Math.max(1, availableParallelism() - 1);
export const defaultContextLimit = 8192;
export const defaultParallel = 4;
export const defaultResidentAdapters = 4;
/** Twice what a deployment may have: when it changes, the new ones are here before the old ones go. */
export const mostAdapters = 40;

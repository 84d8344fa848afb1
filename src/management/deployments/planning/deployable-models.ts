import type { PodEngine } from '../../../contracts/dispatcher/pod-plan.ts';
import type { PodTask } from '../../../contracts/dispatcher/pods.ts';

/** What deployments need to know about a model on this machine. */
export interface DeployableModel {
  model_id: string;
  task: PodTask | null;
  /** The engines that can serve it on this machine. */
  engines: readonly PodEngine[];
  /** Why no engine can. */
  reason: string | null;
  /** Quantisation of its weights; null if they are not quantised. */
  quantization: string | null;
  /** The precisions of an ONNX model among which its files give a choice. */
  precisions?: readonly string[];
  /** Number of tokens that it was made for; absent if unknown. */
  context_length?: number | undefined;
  /** Estimated memory for serving it; null if unknown. */
  memory_bytes: number | null;
  /** Names that adapters may give as their base: its own, and the repository that it was made from. */
  names: readonly string[];
  /** Null for base models. */
  adapter: AdapterFacts | null;
}

export interface AdapterFacts {
  base_model_id: string;
  rank: number | null;
  target_modules: readonly string[] | null;
  /** Why llama.cpp can't use it. */
  obstacle: string | null;
  /** Share by which its held-out loss is lower than the base's; null if never measured. */
  improvement: number | null;
}

/** What deployments need from the model library. */
export interface DeployableModels {
  find(modelId: string): Promise<DeployableModel | undefined>;
  /** The file or folder that the engine loads. An adapter of `baseId` is converted to the base's format if needed. */
  pathFor(modelId: string, baseId: string | null): Promise<string>;
}

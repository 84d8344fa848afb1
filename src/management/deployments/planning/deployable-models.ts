import type { PodEngine } from '../../../contracts/dispatcher/pod-plan.ts';
import type { PodTask } from '../../../contracts/dispatcher/pods.ts';

/** A model whose files are here, as far as deploying it goes. */
export interface DeployableModel {
  model_id: string;
  task: PodTask | null;
  /** The engines that can serve it on this machine. */
  engines: readonly PodEngine[];
  /** Why none can. */
  reason: string | null;
  /** How its weights are quantised, where they are. */
  quantization: string | null;
  /** An estimate of what serving it takes; null where nothing is known. */
  memory_bytes: number | null;
  /** Every name by which adapters may call it their base: its own, and the repository that it was made from. */
  names: readonly string[];
  /** For an adapter: whose, and how large. */
  adapter: AdapterFacts | null;
}

export interface AdapterFacts {
  base_model_id: string;
  rank: number | null;
  target_modules: readonly string[] | null;
  /** Why llama.cpp can't take it, in words. */
  obstacle: string | null;
  /** By which share its held-out loss is lower than the base's; null where nobody has measured it. */
  improvement: number | null;
}

/** What deployments ask of the models that were added. */
export interface DeployableModels {
  find(modelId: string): Promise<DeployableModel | undefined>;
  /** A folder or file that the engine loads; an adapter of `baseId` is converted to that one's format where needed. */
  pathFor(modelId: string, baseId: string | null): Promise<string>;
}

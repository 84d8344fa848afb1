import type { PodEngine } from '../../contracts/dispatcher/pod-plan.ts';
import type { ModelFiles } from '../../contracts/management/model-files.ts';
import { chooseEngine } from '../../management/deployments/planning/choose-engine.ts';
import { enginesFor } from '../../models/facts/engines-for.ts';
import { StartupError } from '../../platform/startup-error.ts';

/** What runs on this machine. */
export interface Machine {
  engines: readonly PodEngine[];
  gpu: boolean;
}

interface Wishes {
  engine?: string | undefined;
  dtype?: string | undefined;
  adapters: number;
}

export interface FittedEngine {
  engine: string;
  task: string;
  /** The form of the model that the engine loads. */
  form: ModelFiles['format'];
}

/** A model of a library, here or on another machine. */
export interface DescribedModel extends Omit<ModelFiles, 'files'> {
  files: readonly { path: string }[];
}

/** Chooses the engine for a model on this machine: vLLM on a GPU where it is installed, llama.cpp without one. */
export function fitEngine(
  model: Omit<DescribedModel, 'files' | 'folder'>,
  machine: Machine,
  wishes: Wishes,
): FittedEngine {
  if (model.adapter) {
    throw new StartupError(
      `'${model.model_id}' is an adapter: serve its base model, and pass the adapter with --adapter name=path`,
    );
  }
  const task = model.task ?? 'llm';
  const engine = wishes.engine ?? chosenFor(model, machine, wishes);
  const readsGguf = engine === 'llamacpp' || engine === 'llama-server';
  const form = readsGguf && model.converted !== null ? 'gguf' : model.format;
  return { engine, task, form };
}

function chosenFor(
  model: Omit<DescribedModel, 'files' | 'folder'>,
  machine: Machine,
  { dtype, adapters }: Wishes,
): PodEngine {
  const asItCame = enginesFor(model.format, model.task, machine.engines);
  const converted = model.converted === null ? [] : enginesFor('gguf', model.task, machine.engines).engines;
  const chosen = chooseEngine(
    {
      engines: [...asItCame.engines, ...converted],
      reason: asItCame.reason,
      quantization: model.quantization,
    },
    { engine: null, dtype: dtype ?? null, adapters, gpu: machine.gpu },
  );
  if ('engine' in chosen) return chosen.engine;
  throw new StartupError(`this machine can't serve '${model.model_id}': ${chosen.refusal}`);
}

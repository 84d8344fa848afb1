import type { TrainableModel } from '../../contracts/management/models.ts';
import { describeModel, type ModelRecord } from '../../models/library/model-record.ts';

/** The machine's resources for training. */
export interface TrainingMachine {
  /** Why nothing can be trained here; null if training is possible. */
  obstacle: string | null;
  /** Total memory, in bytes. */
  memory: number;
}

/** Why a model can't be trained here; null if it can. The trainer checks more when it starts. */
export function whyNotTrainable(model: ModelRecord, machine: TrainingMachine): string | null {
  const { adapter, baseModelId, format, facts, files } = model;
  if (adapter) return `it is an adapter; train its base${baseModelId ? ` '${baseModelId}'` : ''} instead`;
  if (facts.task && facts.task !== 'llm')
    return `only language models can be trained; this model is for ${facts.task}`;
  if (format === 'onnx' || format === 'pickle')
    return `weights in the ${format} format can't be trained; safetensors and GGUF can`;
  if (files.filter((file) => file.endsWith('.gguf')).length > 1)
    return 'its GGUF has several files; only a single-file GGUF can be trained';
  if (facts.chat_template === false) return 'it has no chat template to format conversations with';
  const needed = minMemory(facts.parameters ?? null, format === 'gguf');
  if (needed > machine.memory) {
    return `training it needs at least ${gigabytes(needed)} of memory, but this machine has ${gigabytes(machine.memory)}`;
  }
  return machine.obstacle;
}

export function describeTrainable(model: ModelRecord, machine: TrainingMachine): TrainableModel {
  const reason = whyNotTrainable(model, machine);
  return { ...describeModel(model), trainable: reason === null, reason };
}

/** Memory of the weights while they are loaded and of the program, without the data. */
function minMemory(parameters: number | null, unpacked: boolean): number {
  return (parameters ?? 0) * (unpacked ? 4 : 2) + 700e6;
}

const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`;

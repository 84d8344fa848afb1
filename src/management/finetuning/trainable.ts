import type { TrainableModel } from '../../contracts/management/models.ts';
import { describeModel, type ModelRecord } from '../../models/library/model-record.ts';

/** What this machine has for training. */
export interface TrainingMachine {
  /** Why nothing at all can be trained here; null where something can. */
  obstacle: string | null;
  /** Bytes, of the machine, free or not. */
  memory: number;
}

/** Why a model can't be trained here, in words; null where it can. The trainer looks closer when it starts. */
export function whyNotTrainable(model: ModelRecord, machine: TrainingMachine): string | null {
  const { adapter, baseModelId, format, facts, files } = model;
  if (adapter) return `it is an adapter; train its base${baseModelId ? ` '${baseModelId}'` : ''} instead`;
  if (facts.task && facts.task !== 'llm')
    return `only language models can be trained, and it is for ${facts.task}`;
  if (format === 'onnx' || format === 'pickle')
    return `weights in the ${format} format can't be trained; safetensors and GGUF can`;
  if (files.filter((file) => file.endsWith('.gguf')).length > 1)
    return 'its GGUF is in several files; one in a single file can be trained';
  if (facts.chat_template === false) return 'it has no chat template, so conversations have no form for it';
  const needed = leastMemory(facts.parameters ?? null, format === 'gguf');
  if (needed > machine.memory) {
    return `training it needs at least ${gigabytes(needed)} of memory, and this machine has ${gigabytes(machine.memory)}`;
  }
  return machine.obstacle;
}

export function describeTrainable(model: ModelRecord, machine: TrainingMachine): TrainableModel {
  const reason = whyNotTrainable(model, machine);
  return { ...describeModel(model), trainable: reason === null, reason };
}

/** The weights, as they are held while they are read, and the program; what the data takes comes on top. */
function leastMemory(parameters: number | null, unpacked: boolean): number {
  return (parameters ?? 0) * (unpacked ? 4 : 2) + 700e6;
}

const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`;

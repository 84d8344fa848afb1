import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { PodEngine } from '../../contracts/dispatcher/pod-plan.ts';
import type { PodTask } from '../../contracts/dispatcher/pods.ts';
import type { ModelFacts } from '../../contracts/management/models.ts';
import { configFacts, readJson } from './config-facts.ts';
import { enginesFor } from './engines-for.ts';
import { ggufFacts } from './gguf-facts.ts';
import { estimateMemory } from './memory-estimate.ts';
import type { ModelFormat } from './model-format.ts';
import type { OwnFacts } from './own-facts.ts';

export interface ModelOnDisk {
  folder: string;
  format: ModelFormat;
  /** Relative to the folder. */
  files: readonly string[];
}

/** What the model's source states; what its own files say takes precedence. */
interface Hints {
  license?: string | null;
  task?: PodTask | null;
  revision?: string | null;
}

const weightFile = /\.(safetensors|gguf|onnx|onnx_data|onnx\.data|bin)$/;

export async function readFacts(
  model: ModelOnDisk,
  hints: Hints,
  engines: readonly PodEngine[],
): Promise<ModelFacts> {
  const { folder, format, files } = model;
  const weights = files.filter((file) => weightFile.test(file));
  const own = await ownFacts(model, weights);
  const { shape, ...said } = own;
  const task = hints.task ?? own.task;
  const weightBytes = await sizeOf(folder, weights);
  return {
    ...said,
    task,
    license: own.license ?? hints.license ?? null,
    revision: hints.revision ?? null,
    size_bytes: await sizeOf(folder, files),
    memory_bytes: format === 'peft' ? weightBytes : estimateMemory(weightBytes, shape, own.context_length),
    ...enginesFor(format, task, engines),
  };
}

async function ownFacts({ folder, format }: ModelOnDisk, weights: string[]): Promise<OwnFacts> {
  if (format === 'gguf') return ggufFacts(weights.map((file) => join(folder, file)));
  const facts = await configFacts(folder, weights);
  if (format !== 'peft') return facts;
  const kind = readJson(join(folder, 'adapter_config.json'))?.peft_type;
  return {
    ...facts,
    task: 'llm',
    architecture: typeof kind === 'string' ? kind : null,
    context_length: null,
  };
}

/** The base model that a PEFT adapter names. */
export function adapterBase(folder: string): string | null {
  const base = readJson(join(folder, 'adapter_config.json'))?.base_model_name_or_path;
  return typeof base === 'string' && base !== '' ? base : null;
}

/** Translates the hub's pipeline tag into a task. */
export function taskOfTag(tag: string | null): PodTask | null {
  switch (tag) {
    case 'text-generation':
    case 'image-text-to-text':
    case 'conversational':
      return 'llm';
    case 'sentence-similarity':
    case 'feature-extraction':
      return 'embeddings';
    case 'text-ranking':
      return 'rerank';
    case 'automatic-speech-recognition':
      return 'asr';
    case 'text-to-speech':
      return 'tts';
    default:
      return null;
  }
}

async function sizeOf(folder: string, files: readonly string[]): Promise<number> {
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(folder, file))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

import { join } from 'node:path';
import type { PodEngine } from '../../contracts/dispatcher/pod-plan.ts';
import type { ModelFacts } from '../../contracts/management/models.ts';
import { enginesFor } from '../facts/engines-for.ts';
import type { ModelFormat } from '../facts/model-format.ts';

/** The facts with the engines that can serve the model here: its original files, or else what they were converted to. */
export function asServed(format: ModelFormat, facts: ModelFacts, engines: readonly PodEngine[]): ModelFacts {
  const task = facts.task ?? null;
  const { conversion } = facts;
  const asItCame = enginesFor(format, task, engines);
  if (!conversion || asItCame.reason === null) return { ...facts, ...asItCame };
  if (conversion.file === null) {
    const reason = `${asItCame.reason}; it could not be converted: ${conversion.error}`;
    return { ...facts, ...asItCame, reason };
  }
  return { ...facts, ...enginesFor('gguf', task, engines) };
}

/** Where a model's files are, and what they say. */
interface StoredFiles {
  format: ModelFormat;
  entry: string;
  folder: string;
  facts: ModelFacts;
}

/** What an engine here loads for a model, and how much memory that takes. */
export interface ServedForm {
  format: ModelFormat;
  entry: string;
  quantization: string | null;
  memoryBytes: number | null;
}

export function servedForm(record: StoredFiles): ServedForm {
  const { format, entry, folder, facts } = record;
  const { conversion, engines = [] } = facts;
  const readsGguf = engines.some((engine) => engine === 'llamacpp' || engine === 'llama-server');
  if (format === 'safetensors' && conversion?.file && readsGguf) {
    const { file, quantization, memory_bytes: memoryBytes } = conversion;
    return { format: 'gguf', entry: join(folder, file), quantization, memoryBytes };
  }
  return {
    format,
    entry,
    quantization: facts.quantization ?? null,
    memoryBytes: facts.memory_bytes ?? null,
  };
}

import { join } from 'node:path';
import type { PodEngine } from '../../contracts/dispatcher/pod-plan.ts';
import type { ModelFacts } from '../../contracts/management/models.ts';
import { enginesFor } from '../facts/engines-for.ts';
import type { ModelFormat } from '../hub/choose-files.ts';
import type { ModelRecord } from '../library/model-record.ts';

/** The facts with what can serve the model here: as it came where an engine reads that, else by what was made of it. */
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

/** What an engine here is given for a model, and what that takes. */
export interface ServedForm {
  format: ModelFormat;
  entry: string;
  quantization: string | null;
  memoryBytes: number | null;
}

export function servedForm(record: Pick<ModelRecord, 'format' | 'entry' | 'folder' | 'facts'>): ServedForm {
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

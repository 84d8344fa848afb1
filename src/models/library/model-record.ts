import type { ModelEntry, ModelFacts } from '../../contracts/management/models.ts';
import type { ModelFormat } from '../facts/model-format.ts';

/** A model on this machine, which the engines in its facts can serve. */
export interface ModelRecord {
  id: string;
  adapter: boolean;
  /** For an adapter: the model that it was trained on. */
  baseModelId: string | null;
  /** For a quantised or converted model: the original, which adapters name as their base. */
  originModelId: string | null;
  source: 'hub' | 'folder' | 'training' | 'catalog';
  repository: string | null;
  revision: string | null;
  format: ModelFormat;
  folder: string;
  /** What an engine loads: the first GGUF file, or the folder. */
  entry: string;
  /** Paths inside the folder. */
  files: string[];
  facts: ModelFacts;
  addedAt: number;
}

export function describeModel(record: ModelRecord): ModelEntry {
  const { id, adapter, baseModelId, facts } = record;
  return { model_id: id, adapter, base_model_id: baseModelId, facts };
}

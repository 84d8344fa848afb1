import type { ModelEntry, ModelFacts } from '../../contracts/management/models.ts';
import type { ModelFormat } from '../facts/model-format.ts';

/** A model whose files are here, ready to be served by the engines that its facts name. */
export interface ModelRecord {
  id: string;
  adapter: boolean;
  /** Of an adapter: the model it was trained on. */
  baseModelId: string | null;
  /** Of a quantised or converted model: the one it was made from, which its adapters name as their base. */
  originModelId: string | null;
  source: 'hub' | 'folder' | 'training' | 'catalog';
  repository: string | null;
  revision: string | null;
  format: ModelFormat;
  folder: string;
  /** What an engine is given: the first GGUF file, or the folder. */
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

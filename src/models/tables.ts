declare module '../platform/database/tables.ts' {
  interface Tables {
    models: ModelRow;
    replaced_models: ReplacedModelRow;
  }
}

/** A model whose files are here. Those of the catalog have no row: their folder says it all. */
export interface ModelRow {
  id: string;
  adapter: number;
  /** Of an adapter: the model it was trained on. */
  base_model_id: string | null;
  /** Of a quantised or converted model: the one it was made from. */
  origin_model_id: string | null;
  source: 'hub' | 'folder' | 'training';
  repository: string | null;
  revision: string | null;
  format: string;
  folder: string;
  /** What an engine is given: the first GGUF file, or the folder. */
  entry: string;
  files_json: string;
  facts_json: string;
  added_at: number;
}

/** A model of before, whose files pods may have to load again. */
export interface ReplacedModelRow {
  folder: string;
  model_id: string;
  record_json: string;
}

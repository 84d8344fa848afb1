import type { Generated } from 'kysely';
import type { KeyPlaceRow, KeyQuotaRow, MeteringProcessRow, UsageDayRow } from '../metering/tables.ts';

/**
 * The rows as they are stored, alike on both databases: timestamps are integer milliseconds, flags are
 * 0 or 1, `*_json` columns hold JSON text (see `json-column.ts`).
 */
export interface Tables {
  schema_migrations: SchemaMigrationRow;
  api_keys: ApiKeyRow;
  models: ModelRow;
  replaced_models: ReplacedModelRow;
  deployments: DeploymentRow;
  deployment_pods: DeploymentPodRow;
  work_items: WorkItemRow;
  work_keys: WorkKeyRow;
  pods: PodRow;
  planned_pods: PlannedPodRow;
  usage_days: UsageDayRow;
  key_quotas: KeyQuotaRow;
  key_places: KeyPlaceRow;
  metering_processes: MeteringProcessRow;
  datasets: DatasetRow;
  finetune_runs: FinetuneRunRow;
}

interface SchemaMigrationRow {
  number: number;
  name: string;
  applied_at: number;
}

export interface ApiKeyRow {
  id: string;
  name: string;
  owner: string | null;
  /** The first characters of the key, for people to tell keys apart. */
  prefix: string;
  hash: string;
  scopes: string;
  limits: string;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
  last_used_at: number | null;
  version: Generated<number>;
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
interface ReplacedModelRow {
  folder: string;
  model_id: string;
  record_json: string;
}

/** What a slot serves. */
export interface DeploymentRow {
  slot: string;
  model_id: string;
  adapter_ids: string;
  engine: string;
  dtype: string | null;
  replicas: number;
  /** The work item that brought it up. */
  job_id: string;
  deployed_at: number;
  /** Whose place it took, for callers that still name that one. */
  replaced_model_id: string | null;
}

/** A pod of a deployment from before its start until it is gone. */
export interface DeploymentPodRow {
  pod_id: string;
  slot: string;
  state: 'starting' | 'serving' | 'draining';
  job_id: string;
  /** How the launcher starts it. */
  spec: string;
}

export interface WorkItemRow {
  seq: Generated<number>;
  id: string;
  kind: string;
  name: string;
  subject: string | null;
  state: 'CREATED' | 'RUNNING' | 'FINISHED' | 'FAILED' | 'KILLED';
  priority: number;
  not_before: number;
  unique_key: string | null;
  /** Rows in `work_keys` while it has not ended. */
  key_count: number;
  payload: string;
  progress: string | null;
  result: string | null;
  error: string | null;
  /** How often it was started, less the starts that a shutdown cut short. */
  attempts: number;
  /** Which runner holds it, and its how-manieth claim that is: together they fence off late writers. */
  runner: string | null;
  claim: number;
  /** Set while a runner's handler may still be at work on it, also after a cancel. */
  lease_until: number | null;
  /** The item (`seq`) that stood in its way when last looked at: it is not looked at again until that one is out of the way. */
  blocked_by: number | null;
  created_at: number;
  started_at: number | null;
  finished_at: number | null;
}

/** An exclusive key of an item that has not ended. At most one row a key is `held`: a unique index sees to it. */
export interface WorkKeyRow {
  key: string;
  item: number;
  /** The item's place in the line for this key: by priority, then by arrival. Smaller is earlier. */
  place: number;
  held: number;
}

/** The last report of a pod. */
export interface PodRow {
  pod_id: string;
  /** JSON. */
  info: string;
  reported_at: number;
}

/** A pod of `pods.yaml` that was created. */
export interface PlannedPodRow {
  pod_id: string;
  /** What callers name it by. */
  number: number;
  /** JSON. */
  plan: string;
  deployed: number;
}

/** An uploaded data set; its file is the blob `datasets/<id>/<name>`. */
export interface DatasetRow {
  id: string;
  name: string;
  description: string | null;
  examples: number;
  bytes: number;
  sha256: string;
  created_at: number;
}

/** A training run, and what it came to: the job says in which state it is. */
export interface FinetuneRunRow {
  id: string;
  job_id: string;
  /** Of the adapter. */
  name: string;
  model_id: string;
  dataset_id: string;
  /** As asked for, then as they were chosen. */
  hyperparameters_json: string;
  progress_json: string | null;
  /** The losses so far, thinned out to a bounded number of points. */
  curve_json: string | null;
  comparison_json: string | null;
  created_at: number;
}

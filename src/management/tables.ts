declare module '../platform/database/tables.ts' {
  interface Tables {
    deployments: DeploymentRow;
    deployment_pods: DeploymentPodRow;
    datasets: DatasetRow;
    finetune_runs: FinetuneRunRow;
  }
}

/** What a slot serves. */
export interface DeploymentRow {
  slot: string;
  model_id: string;
  adapter_ids: string;
  engine: string;
  dtype: string | null;
  replicas: number;
  /** Further options of the engine, as JSON. */
  options: string;
  /** The work item that deployed it. */
  job_id: string;
  deployed_at: number;
  /** The model that it replaced, which callers may still name. */
  replaced_model_id: string | null;
}

/** A pod of a deployment, from before it starts until it is gone. */
export interface DeploymentPodRow {
  pod_id: string;
  slot: string;
  state: 'starting' | 'serving' | 'draining';
  job_id: string;
  /** The machine whose platform runs it; null for rows from before there could be several. */
  machine: string | null;
  /** How the launcher starts it. */
  spec: string;
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

/** A training run and its results; its state is that of the job. */
export interface FinetuneRunRow {
  id: string;
  job_id: string;
  /** Name of the adapter. */
  name: string;
  model_id: string;
  dataset_id: string;
  /** As requested at first, then as chosen by the trainer. */
  hyperparameters_json: string;
  progress_json: string | null;
  /** The losses so far, as a bounded number of points. */
  curve_json: string | null;
  comparison_json: string | null;
  created_at: number;
}

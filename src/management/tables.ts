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

declare module '../platform/database/tables.ts' {
  interface Tables {
    pods: PodRow;
    planned_pods: PlannedPodRow;
    usage_days: UsageDayRow;
  }
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

/** What a key used of a model on a pod in a day (UTC, `2026-01-31`). */
export interface UsageDayRow {
  day: string;
  key: string;
  model: string;
  pod: string;
  requests: number;
  failures: number;
  prompt_tokens: number;
  completion_tokens: number;
}

declare module '../platform/database/tables.ts' {
  interface Tables {
    pods: PodRow;
    planned_pods: PlannedPodRow;
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

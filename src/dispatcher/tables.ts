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
  /** 1: no dispatcher sends it requests any more, whatever it reports. */
  retired: number;
}

/** A created pod of `pods.yaml`. */
export interface PlannedPodRow {
  pod_id: string;
  /** The number that API callers use for it. */
  number: number;
  /** JSON. */
  plan: string;
  deployed: number;
  /** The machine whose platform runs it; null while it is not deployed. */
  machine: string | null;
}

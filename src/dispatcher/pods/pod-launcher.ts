/** A pod as a launcher is told to run it. */
export interface PodToStart {
  pod_id: string;
  engine: string;
  task: string;
  model: string;
  served_model_name?: string;
  adapters?: { name: string; path: string }[];
  dtype?: string;
  quantization?: string;
  max_model_len?: number;
  gpu_id?: string;
  gpu_memory_utilization?: number;
}

/** What has become of it. */
export interface StartedPod {
  state: 'starting' | 'running' | 'backing-off' | 'crash-looping' | 'failed' | 'stopping' | 'stopped';
  error: string | null;
}

/** What the dispatcher asks of whatever runs pods: child processes, containers, a cluster. */
export interface PodLauncher {
  /** Starts the pod and keeps it running. Asking again with the same pod changes nothing; with another one replaces it. */
  start(pod: PodToStart): Promise<StartedPod>;
  /** Stops the pod for good. An unknown id is no error. */
  stop(podId: string): Promise<void>;
  get(podId: string): StartedPod | undefined;
}

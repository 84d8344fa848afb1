/**
 * How pods come to run somewhere: as child processes, as containers of a compose project, as Kubernetes
 * deployments. A launcher knows nothing of engines beyond what it passes on.
 */
export interface Launcher {
  /** Starts the pod and keeps it running. Asking again with the same pod changes nothing; with another one replaces it. */
  start(pod: PodToLaunch): Promise<LaunchedPod>;
  /** Changes how a running pod is started the next time it has to be, and leaves it alone until then. */
  amend(pod: PodToLaunch): void;
  /** Stops the pod for good and forgets it. Settles when it is gone. An unknown id is no error. */
  stop(podId: string): Promise<void>;
  list(): LaunchedPod[];
  get(podId: string): LaunchedPod | undefined;
  /** The last lines of the pod's log, oldest first. */
  log(podId: string, lines: number): Promise<string[]>;
  /** Called at each change of a pod's state; returns how to stop listening. */
  onChange(listener: (pod: LaunchedPod) => void): () => void;
  /** Stops every pod. */
  close(): Promise<void>;
}

export interface PodToLaunch {
  pod_id: string;
  engine: string;
  task: string;
  /** A folder or file, or a model id that the pod's machine can resolve. */
  model: string;
  /** What the model is called in reports, where `model` is a path. */
  model_name?: string;
  served_model_name?: string;
  adapters?: { name: string; path: string }[];
  dtype?: string;
  quantization?: string;
  max_model_len?: number;
  gpu_id?: string;
  gpu_memory_utilization?: number;
  threads?: number;
  parallel?: number;
  host?: string;
  /** 0 or absent: a free one is chosen and reported. */
  port?: number;
  /** More of the engine's own flags, passed on as they are. */
  extra_arguments?: string[];
}

export type LaunchState =
  /** Loading; not yet listening. */
  | 'starting'
  /** It listens at `address`. */
  | 'running'
  /** It ended by itself and is started again at `retry_at`. */
  | 'backing-off'
  /** As backing-off, after so many failures in a row that someone should look. */
  | 'crash-looping'
  /** It said that it can't work as it is configured: not started again. */
  | 'failed'
  | 'stopping'
  | 'stopped';

export interface LaunchedPod {
  pod_id: string;
  state: LaunchState;
  /** `http://host:port`, while it listens. */
  address: string | null;
  pid: number | null;
  /** Starts after the first one. */
  restarts: number;
  started_at: number;
  retry_at: number | null;
  /** What a starting pod last said of its progress. */
  progress: string | null;
  /** Why it last ended. */
  error: string | null;
}

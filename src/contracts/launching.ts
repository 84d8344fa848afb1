import type { PodRecord } from './dispatcher/pods.ts';

/**
 * Runs pods somewhere: as child processes, as containers of a compose project, or as Kubernetes deployments.
 * A launcher knows nothing about engines beyond the options it passes on.
 */
export interface Launcher {
  /** Starts the pod and keeps it running. Starting the same pod again changes nothing; a different specification replaces it. */
  start(pod: PodToLaunch): Promise<LaunchedPod>;
  /** Changes the specification for the pod's next start; the running process is left alone. */
  amend(pod: PodToLaunch): void;
  /** Stops the pod permanently; resolves once it is gone. An unknown id is not an error. */
  stop(podId: string): Promise<void>;
  list(): LaunchedPod[];
  get(podId: string): LaunchedPod | undefined;
  /** What the pod must be sent as the key, where it was given a secret. */
  secret?(podId: string): string | undefined;
  /** The last lines of the pod's log, oldest first. */
  log(podId: string, lines: number): Promise<string[]>;
  /** Calls the listener whenever a pod changes state; returns a function that removes it. */
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
  /** The model's name in reports when `model` is a path. */
  model_name?: string;
  served_model_name?: string;
  adapters?: { name: string; path: string }[];
  dtype?: string;
  quantization?: string;
  max_model_len?: number;
  gpu_id?: string;
  gpu_memory_utilization?: number;
  /** Number of GPUs over which the engine divides the model. */
  tensor_parallel?: number;
  threads?: number;
  parallel?: number;
  host?: string;
  /** 0 or absent: the pod picks a free port and reports it. */
  port?: number;
  /** Additional engine flags, passed through unchanged. */
  extra_arguments?: string[];
}

export type LaunchState =
  /** Loading; not listening yet. */
  | 'starting'
  /** Listening at `address`. */
  | 'running'
  /** It exited unexpectedly and restarts at `retry_at`. */
  | 'backing-off'
  /** Like backing-off, after so many failures in a row that someone should investigate. */
  | 'crash-looping'
  /** It reported that its configuration can't work; it is not restarted. */
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
  /** The last progress message of a starting pod. */
  progress: string | null;
  /** Why it last exited. */
  error: string | null;
}

/** The dispatcher's view of a launcher: it starts the pods of `pods.yaml`. */
export type PodStarter = Pick<Launcher, 'start' | 'stop' | 'get'>;

/** The deployments' view of a launcher: they also change adapters of running pods. */
export type PodRunner = Pick<Launcher, 'start' | 'amend' | 'stop' | 'get' | 'secret'>;

/** The pods that report to the dispatcher, as other parts see them. */
export interface DispatcherPods {
  /** Why nothing is known of the pods at the moment, in words for an operator; null if all is well. */
  readonly problem?: string | null;
  get(podId: string): PodRecord | undefined;
  list(): PodRecord[];
  /** Sends the pod no further requests; running ones finish. */
  retire(podId: string): void;
  forget(podId: string): void;
  /** Calls the listener with each changed record; returns a function that removes it. */
  onChange(listener: (pod: PodRecord) => void): () => void;
}

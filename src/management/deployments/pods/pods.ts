import type { PodRecord } from '../../../contracts/dispatcher/pods.ts';

/** A pod as a launcher is told to run it. */
export interface PodSpec {
  pod_id: string;
  engine: string;
  task: string;
  model: string;
  model_name: string;
  served_model_name: string;
  adapters: { name: string; path: string }[];
  dtype?: string;
}

/** What has become of a pod that was started. */
export interface PodProcess {
  state: 'starting' | 'running' | 'backing-off' | 'crash-looping' | 'failed' | 'stopping' | 'stopped';
  restarts: number;
  address: string | null;
  /** What a starting pod last said of its progress. */
  progress: string | null;
  error: string | null;
}

/** What deployments ask of whatever runs pods. */
export interface PodRunner {
  start(pod: PodSpec): Promise<PodProcess>;
  /** For its next start; it goes on as it is until then. */
  amend(pod: PodSpec): void;
  /** Settles when it is gone. An unknown id is no error. */
  stop(podId: string): Promise<void>;
  get(podId: string): PodProcess | undefined;
}

/** What deployments ask of the dispatcher. */
export interface PodDesk {
  get(podId: string): PodRecord | undefined;
  /** Sends it nothing more; what it is answering goes on. */
  retire(podId: string): void;
  forget(podId: string): void;
  onChange(listener: (pod: PodRecord) => void): () => void;
}

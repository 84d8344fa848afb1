import type { PodRecord } from '../../../contracts/dispatcher/pods.ts';
import type { PodToLaunch } from '../../../contracts/launching.ts';

/** A pod as a launcher is told to run it; a deployment always names the model and its adapters. */
export type PodSpec = PodToLaunch &
  Required<Pick<PodToLaunch, 'model_name' | 'served_model_name' | 'adapters'>>;

/** What deployments ask of the dispatcher. */
export interface PodDesk {
  get(podId: string): PodRecord | undefined;
  /** Sends it nothing more; what it is answering goes on. */
  retire(podId: string): void;
  forget(podId: string): void;
  onChange(listener: (pod: PodRecord) => void): () => void;
}

import type { PodToLaunch } from '../../../contracts/launching.ts';

/** A pod as a launcher is told to run it; a deployment always names the model and its adapters. */
export type PodSpec = PodToLaunch &
  Required<Pick<PodToLaunch, 'model_name' | 'served_model_name' | 'adapters'>>;

import type { PodToLaunch } from '../../../contracts/launching.ts';

/** How the launcher starts a pod of a deployment; model names and adapters are always given. */
export type PodSpec = PodToLaunch &
  Required<Pick<PodToLaunch, 'model_name' | 'served_model_name' | 'adapters'>>;

import type { LaunchedPod } from '../../../src/contracts/launching.ts';

/** A pod that a launcher has just started. */
export const startingPod = (pod_id: string): LaunchedPod => ({
  pod_id,
  state: 'starting',
  address: null,
  pid: null,
  restarts: 0,
  started_at: 0,
  retry_at: null,
  progress: null,
  error: null,
});

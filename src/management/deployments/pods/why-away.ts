import type { LaunchedPod } from '../../../contracts/launching.ts';

/** Why a pod of a deployment does not serve, in words for the person who asks. */
export function whyAway(pod: LaunchedPod | undefined): string {
  if (!pod) return 'its process is not running';
  const { state, error, progress } = pod;
  if (state === 'running') return error ?? 'it does not answer';
  if (state === 'starting') {
    return `starting: ${progress ?? 'loading the model'}${error ? ` (before: ${error})` : ''}`;
  }
  return error ?? `it is ${state}`;
}

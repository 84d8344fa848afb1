import type { LaunchedPod } from '../../../contracts/launching.ts';

/** Why a pod of a deployment does not serve, in words. `elsewhere`: the machine that runs it, if not this one. */
export function whyAway(pod: LaunchedPod | undefined, elsewhere: string | null = null): string {
  if (elsewhere !== null) return `its pod on ${elsewhere} does not answer`;
  if (!pod) return 'its process is not running';
  const { state, error, progress } = pod;
  if (state === 'running') return error ?? 'it does not answer';
  if (state === 'starting') {
    return `starting: ${progress ?? 'loading the model'}${error ? ` (before: ${error})` : ''}`;
  }
  return error ?? `it is ${state}`;
}

import { request } from 'undici';
import type { DispatcherPods, PodRunner } from '../../../contracts/launching.ts';
import type { StoredPod } from '../records/deployments-store.ts';
import { serves } from './await-pods.ts';

const limit = 10_000;

interface Observers {
  launcher: Pick<PodRunner, 'get'>;
  dispatcherPods: Pick<DispatcherPods, 'get'>;
}

/** Whether every pod serves and answers now: the dispatcher still calls a pod live for a while after it hangs. */
export async function allAnswer(
  { launcher, dispatcherPods }: Observers,
  pods: readonly StoredPod[],
): Promise<boolean> {
  const answers = pods.map(async ({ pod_id, spec }) => {
    const { state, address } = launcher.get(pod_id) ?? {};
    return state === 'running' && !!address && serves(dispatcherPods, spec) && (await answersNow(address));
  });
  return (await Promise.all(answers)).every(Boolean);
}

async function answersNow(address: string): Promise<boolean> {
  try {
    const { body } = await request(`${address}/healthz`, { signal: AbortSignal.timeout(limit) });
    await body.dump();
    return true;
  } catch {
    return false;
  }
}

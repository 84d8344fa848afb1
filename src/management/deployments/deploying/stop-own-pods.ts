import { findDeployment, listDeployedPods } from '../records/deployments-store.ts';
import type { DeploymentDependencies } from './deployment-dependencies.ts';

const pollEvery = 1_000;

/** Stops pods of this machine that a platform on another machine has replaced or undeployed. */
export function stopOwnPods(deps: DeploymentDependencies): { close(): void } {
  if (deps.database.exclusive) return { close: () => {} };
  let closed = false;
  const look = async () => {
    const drained = (await listDeployedPods(deps.database)).filter(
      ({ state, machine }) => state === 'draining' && machine === deps.machine,
    );
    for (const pod of closed ? [] : drained) {
      const limit = (await findDeployment(deps.database, pod.slot)) ? deps.settings.drain_timeout : 0;
      void deps.retirement.begin(pod.slot, [pod], limit);
    }
  };
  let looking = false;
  const timer = setInterval(async () => {
    if (looking) return;
    looking = true;
    // The database may be away for a while; the next look finds the same rows.
    await look().catch(() => {});
    looking = false;
  }, pollEvery).unref();
  return {
    close() {
      closed = true;
      clearInterval(timer);
    },
  };
}

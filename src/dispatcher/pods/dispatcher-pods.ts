import type { PodRecord } from '../../contracts/dispatcher/pods.ts';
import type { DispatcherPods } from '../../contracts/launching.ts';
import type { PodRegistry } from './registry.ts';
import { describePod, listPods } from './reports/report-pod.ts';

/** The pods as other parts see them. */
export function dispatcherPods(registry: PodRegistry): DispatcherPods {
  const listeners = new Set<(pod: PodRecord) => void>();
  registry.listen({
    changed: (pod) => {
      if (listeners.size === 0) return;
      const record = describePod(registry, pod);
      for (const listener of listeners) listener(record);
    },
    forgotten: () => {},
  });
  return {
    get(podId) {
      const pod = registry.get(podId);
      return pod && describePod(registry, pod);
    },
    list: () => listPods(registry),
    retire: (podId) => registry.retire(podId),
    forget: (podId) => registry.forget(podId),
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

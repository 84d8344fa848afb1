import type { PodRecord } from '../../contracts/dispatcher/pods.ts';
import type { PodRegistry } from './registry.ts';
import { describePod } from './report-pod.ts';

/** The pods as other services see them: read, told of, taken out of service. */
export function podDesk(registry: PodRegistry) {
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
    get(podId: string): PodRecord | undefined {
      const pod = registry.get(podId);
      return pod && describePod(registry, pod);
    },
    retire: (podId: string) => registry.retire(podId),
    forget: (podId: string) => registry.forget(podId),
    onChange(listener: (pod: PodRecord) => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

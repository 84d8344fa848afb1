import type { RoutedPod } from '../../pods/routed-pod.ts';
import { ConnectionPool, type ConnectionSettings } from './connection-pool.ts';

/** The connections to all pods. */
export class ConnectionPools {
  readonly #settings: ConnectionSettings;
  readonly #open = new Map<RoutedPod, { address: string; pool: ConnectionPool }>();

  constructor(settings: ConnectionSettings) {
    this.#settings = settings;
  }

  /** The pod's connections; new ones where its address has changed. */
  of(pod: RoutedPod): ConnectionPool {
    const known = this.#open.get(pod);
    if (known?.address === pod.address) return known.pool;
    known?.pool.close();
    const pool = new ConnectionPool(pod.address, this.#settings);
    this.#open.set(pod, { address: pod.address, pool });
    return pool;
  }

  forget(pod: RoutedPod): void {
    this.#open.get(pod)?.pool.close();
    this.#open.delete(pod);
  }

  close(): void {
    for (const pod of [...this.#open.keys()]) this.forget(pod);
  }
}

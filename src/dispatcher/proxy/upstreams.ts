import type { PodState } from '../pods/pod-state.ts';
import { Upstream, type UpstreamSettings } from './upstream.ts';

/** The connections to all pods. */
export class Upstreams {
  readonly #settings: UpstreamSettings;
  readonly #open = new Map<PodState, { address: string; upstream: Upstream }>();

  constructor(settings: UpstreamSettings) {
    this.#settings = settings;
  }

  /** The pod's connections; new ones where its address has changed. */
  of(pod: PodState): Upstream {
    const known = this.#open.get(pod);
    if (known?.address === pod.address) return known.upstream;
    known?.upstream.close();
    const upstream = new Upstream(pod.address, this.#settings);
    this.#open.set(pod, { address: pod.address, upstream });
    return upstream;
  }

  forget(pod: PodState): void {
    this.#open.get(pod)?.upstream.close();
    this.#open.delete(pod);
  }

  close(): void {
    for (const pod of [...this.#open.keys()]) this.forget(pod);
  }
}

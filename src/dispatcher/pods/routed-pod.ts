import type { PodInfo } from '../../contracts/dispatcher/pods.ts';
import { type Breaker, closedBreaker } from '../routing/circuit-breaker.ts';
import type { Occupancy } from '../routing/occupancy.ts';
import type { PlaceablePod, Route } from '../routing/route.ts';

const adaptersRemembered = 4;

export type ReportedPod = PodInfo & { pod_id: string };

/** A pod at run time: what it reported, and what the dispatcher observes. */
export class RoutedPod implements PlaceablePod {
  readonly id: string;
  /** The id, encoded for use in a header. */
  readonly headerId: string;
  /** Identifies the pod's prompt cache; changes when the pod restarts. */
  cacheId: number;
  /** The latest value of every field it has reported. */
  info: ReportedPod;
  /** The key of its last report; undefined if it had none, or came by another dispatcher. */
  reporter: string | undefined;
  reportedAt = 0;
  expiresAt = 0;
  task = '';
  /** Without a trailing slash; empty while unknown. */
  address = '';
  /** The header line that lets us in, with its line break; empty where the pod wants none. */
  authorization = '';
  maxConnections = Number.POSITIVE_INFINITY;
  reportedRunning = 0;
  recentWork = 0;
  lastTurn = 0;
  breaker: Breaker = closedBreaker();
  recentAdapters: string[] = [];
  routes: Route<RoutedPod>[] = [];
  readonly #row: number;
  readonly #occupancy: Occupancy;

  constructor(id: string, cacheId: number, row: number, occupancy: Occupancy) {
    this.id = id;
    this.headerId = /^[\x20-\x7e]+$/.test(id) ? id : encodeURIComponent(id.toWellFormed());
    this.cacheId = cacheId;
    this.#row = row;
    this.#occupancy = occupancy;
    this.info = { pod_id: id } as ReportedPod;
  }

  get inFlight(): number {
    return this.#occupancy.count(this.#row);
  }

  acquire(): boolean {
    return this.#occupancy.enter(this.#row, this.maxConnections);
  }

  release(): void {
    this.#occupancy.leave(this.#row);
  }

  get row(): number {
    return this.#row;
  }

  /** The pod's own name for the requested model. */
  nameFor(requested: string): string {
    const { served_model_name, model_name } = this.info;
    return requested === model_name && served_model_name ? served_model_name : requested;
  }

  useAdapter(name: string): void {
    if (this.recentAdapters[0] === name) return;
    const others = this.recentAdapters.filter((other) => other !== name);
    this.recentAdapters = [name, ...others].slice(0, adaptersRemembered);
  }
}

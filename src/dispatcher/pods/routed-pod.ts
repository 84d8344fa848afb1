import type { PodInfo } from '../../contracts/dispatcher/pods.ts';
import { type Breaker, closedBreaker } from '../routing/circuit-breaker.ts';
import type { Occupancy } from '../routing/occupancy.ts';
import type { PlaceablePod, Route } from '../routing/route.ts';

const adaptersRemembered = 4;

export type ReportedPod = PodInfo & { pod_id: string };

/** A pod while the dispatcher runs: what it reported, and what we see of it. */
export class RoutedPod implements PlaceablePod {
  readonly id: string;
  /** The id as a header can carry it. */
  readonly headerId: string;
  /** Names its cache: another one after a restart. */
  cacheId: number;
  /** Everything it reported and did not take back. */
  info: ReportedPod;
  reportedAt = 0;
  expiresAt = 0;
  task = '';
  /** Without a slash at the end; empty while unknown. */
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
    this.headerId = /^[\x20-\x7e]+$/.test(id) ? id : encodeURIComponent(id);
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

  /** What the pod itself calls the model that was asked for. */
  nameFor(asked: string): string {
    const { served_model_name, model_name } = this.info;
    return asked === model_name && served_model_name ? served_model_name : asked;
  }

  useAdapter(name: string): void {
    if (this.recentAdapters[0] === name) return;
    const others = this.recentAdapters.filter((other) => other !== name);
    this.recentAdapters = [name, ...others].slice(0, adaptersRemembered);
  }
}

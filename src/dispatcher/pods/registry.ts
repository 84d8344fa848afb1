import type { Clock } from '../../contracts/clock.ts';
import { closedBreaker } from '../routing/circuit-breaker.ts';
import { isLive } from '../routing/eligibility.ts';
import { Occupancy } from '../routing/occupancy.ts';
import type { Route } from '../routing/route.ts';
import { ModelIndex } from './model-index.ts';
import { type ReportedPod, RoutedPod } from './routed-pod.ts';

/** Counters that restart from zero when a pod restarts. Other fields that a report omits keep their last value. */
const counters = [
  'requests_success_total',
  'requests_num_running',
  'requests_total_tokens',
  'requests_prompt_tokens',
  'requests_completion_tokens',
  'requests_latency_ms',
  'requests_payload_size',
  'time_per_output_token',
  'time_to_first_token',
] as const;

/** Half-life of a request's weight in `recentWork`, in milliseconds. */
const workHalfLife = 60_000;

/** Notified of pod changes that others act on. */
export interface RegistryListener {
  /** A pod reported, or was learned of in another way. */
  changed(pod: RoutedPod): void;
  forgotten(pod: RoutedPod): void;
}

/** A pod's state as sent to workers. */
export interface MirroredPod {
  info: ReportedPod;
  cacheId: number;
  row: number;
  reportedAt: number;
  expiresAt: number;
}

export interface RegistryOptions {
  /** How long a report is valid, in milliseconds. */
  ttl: number;
  clock: Clock;
  occupancy?: Occupancy;
}

/** All pods that have reported, and the models they serve. */
export class PodRegistry {
  readonly #pods = new Map<string, RoutedPod>();
  readonly #models = new ModelIndex();
  readonly #listeners: RegistryListener[] = [];
  readonly #occupancy: Occupancy;
  readonly #freeRows: number[] = [];
  readonly #ttl: number;
  readonly #clock: Clock;
  #rows = 0;
  #caches = 0;
  #decayedAt: number;
  #checkedAt: number;
  /** When the last pause began, and until when pods that were live then count as live. */
  #pausedAt = 0;
  #graceUntil = 0;

  constructor({ ttl, clock, occupancy = new Occupancy() }: RegistryOptions) {
    this.#ttl = ttl;
    this.#clock = clock;
    this.#occupancy = occupancy;
    this.#decayedAt = clock.now();
    this.#checkedAt = this.#decayedAt;
  }

  listen(listener: RegistryListener): void {
    this.#listeners.push(listener);
  }

  get(podId: string): RoutedPod | undefined {
    return this.#pods.get(podId);
  }

  all(): IterableIterator<RoutedPod> {
    return this.#pods.values();
  }

  find(model: string, task: string): Route<RoutedPod> | 'wrong task' | undefined {
    return this.#models.find(model, task);
  }

  /** The only model that is served for a task; undefined if there are several, or none. */
  soleModel(task: string): string | undefined {
    return this.#models.sole(task, (pod) => this.isLive(pod));
  }

  models(): ModelIndex {
    return this.#models;
  }

  isLive(pod: RoutedPod): boolean {
    return isLive(pod, this.#clock.now());
  }

  /** Applies a report. Its fields replace the known ones; omitted fields keep their value. */
  report(report: ReportedPod, reporter?: string): RoutedPod {
    const known = this.#pods.get(report.pod_id);
    const pod = known ?? this.#add(report.pod_id);
    if (report.restarted && known) this.#startOver(pod);
    // A secret must not be sent to an address that did not report it.
    if (report.pod_address && report.pod_address !== pod.info.pod_address) delete pod.info.pod_secret;
    pod.info = { ...pod.info, ...withoutUndefined(report) };
    pod.reporter = reporter;
    pod.reportedAt = this.#clock.now();
    pod.expiresAt = pod.reportedAt + this.#ttl;
    this.#apply(pod);
    return pod;
  }

  /** Stops sending requests to the pod, whatever it reports later. Running requests continue. */
  retire(podId: string): void {
    const pod = this.#pods.get(podId);
    if (!pod) return;
    pod.info.retired = true;
    this.#apply(pod);
  }

  /** Applies a report that another dispatcher received. */
  adopt(info: ReportedPod, reportedAt: number): void {
    const pod = this.#pods.get(info.pod_id) ?? this.#add(info.pod_id);
    if (info.restarted && reportedAt > pod.reportedAt) this.#startOver(pod);
    pod.info = info;
    pod.reportedAt = reportedAt;
    pod.expiresAt = reportedAt + this.#ttl;
    this.#apply(pod);
  }

  /** In a worker: copies a pod's state from the main thread. */
  mirror({ info, cacheId, row, reportedAt, expiresAt }: MirroredPod): void {
    const pod = this.#pods.get(info.pod_id) ?? new RoutedPod(info.pod_id, cacheId, row, this.#occupancy);
    this.#pods.set(info.pod_id, pod);
    if (pod.cacheId !== cacheId) pod.breaker = closedBreaker();
    pod.cacheId = cacheId;
    pod.info = info;
    pod.reportedAt = reportedAt;
    // A report from before a pause may arrive after it was noticed.
    const isFromBeforePause = expiresAt >= this.#pausedAt && expiresAt < this.#graceUntil;
    pod.expiresAt = isFromBeforePause ? this.#graceUntil : expiresAt;
    this.#apply(pod);
  }

  /** Adds a pod known from before a restart. It receives no requests until it answers a probe or reports. */
  restore(info: ReportedPod, reportedAt: number): RoutedPod {
    const pod = this.#pods.get(info.pod_id) ?? this.#add(info.pod_id);
    pod.info = info;
    pod.reportedAt = reportedAt;
    this.#apply(pod);
    return pod;
  }

  /** Treats a pod's answer to a probe like a report. */
  seen(pod: RoutedPod): void {
    if (pod.info.retired) return;
    pod.reportedAt = this.#clock.now();
    pod.expiresAt = pod.reportedAt + this.#ttl;
    for (const listener of this.#listeners) listener.changed(pod);
  }

  /** After a pause of this process: pods that were live before it get time to report again. */
  afterPause(): void {
    this.#pausedAt = this.#checkedAt;
    this.#graceUntil = this.#clock.now() + this.#ttl;
    for (const pod of this.#pods.values()) {
      if (pod.expiresAt >= this.#pausedAt) pod.expiresAt = Math.max(pod.expiresAt, this.#graceUntil);
    }
  }

  /** To be called often: pods that are live now are those that were live before a pause. */
  noteTime(): void {
    this.#checkedAt = this.#clock.now();
  }

  /** As though it had never been. */
  forget(podId: string): void {
    const pod = this.#pods.get(podId);
    if (!pod) return;
    pod.expiresAt = 0;
    this.#pods.delete(podId);
    this.#models.remove(pod);
    if (pod.inFlight === 0) this.#freeRows.push(pod.row);
    for (const listener of this.#listeners) listener.forgotten(pod);
  }

  /** Forgets idle pods that have not reported since the given time. */
  forgetBefore(time: number): void {
    for (const pod of this.#pods.values()) {
      if (pod.reportedAt < time && pod.inFlight === 0) this.forget(pod.id);
    }
  }

  /** Reduces the weight of old requests. Call it about once per second. */
  decay(): void {
    const now = this.#clock.now();
    const factor = 0.5 ** ((now - this.#decayedAt) / workHalfLife);
    this.#decayedAt = now;
    for (const pod of this.#pods.values()) pod.recentWork *= factor;
  }

  #add(id: string): RoutedPod {
    const row = this.#freeRows.pop() ?? this.#rows++ % this.#occupancy.rows;
    const pod = new RoutedPod(id, ++this.#caches, row, this.#occupancy);
    this.#pods.set(id, pod);
    return pod;
  }

  #startOver(pod: RoutedPod): void {
    for (const counter of counters) pod.info[counter] = counter === 'time_to_first_token' ? null : 0;
    pod.info.dead = false;
    delete pod.info.pod_secret;
    pod.cacheId = ++this.#caches;
    pod.breaker = closedBreaker();
    pod.recentAdapters = [];
  }

  #apply(pod: RoutedPod): void {
    const { pod_address, pod_secret, task, max_connections, requests_num_running } = pod.info;
    pod.address = withoutTrailingSlashes(pod_address ?? '');
    pod.authorization = pod_secret ? `authorization: Bearer ${pod_secret}\r\n` : '';
    pod.task = task || 'llm';
    // Ignore invalid values: a limit below one would exclude the pod for good, and a negative count would attract all
    // requests.
    pod.maxConnections = max_connections && max_connections > 0 ? max_connections : Number.POSITIVE_INFINITY;
    pod.reportedRunning = Math.max(0, requests_num_running ?? 0);
    if (pod.address === '' || pod.info.dead || pod.info.retired) pod.expiresAt = 0;
    this.#models.put(pod);
    for (const listener of this.#listeners) listener.changed(pod);
  }
}

/** Not by `/\/+$/`, which takes quadratic time on many slashes. */
function withoutTrailingSlashes(address: string): string {
  let end = address.length;
  while (end > 0 && address[end - 1] === '/') end--;
  return address.slice(0, end);
}

function withoutUndefined(report: ReportedPod): ReportedPod {
  return Object.fromEntries(Object.entries(report).filter(([, value]) => value !== undefined)) as ReportedPod;
}

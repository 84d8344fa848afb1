import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../../contracts/clock.ts';
import type { DispatcherPods, PodRunner } from '../../../contracts/launching.ts';
import type { Slot } from '../../../contracts/management/deployments.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { Logger } from '../../../platform/telemetry/logger.ts';
import { deletePods, type StoredPod } from '../records/deployments-store.ts';

interface RetirementDependencies {
  database: Database;
  clock: Clock;
  machine: string;
  logger: Pick<Logger, 'error' | 'warn'>;
  launcher: Pick<PodRunner, 'stop'>;
  dispatcherPods: Pick<DispatcherPods, 'get' | 'retire' | 'forget'>;
}

/** Milliseconds after which no other thread or dispatcher sends requests to a retired pod. */
const propagationTime = 3_000;

type RetiredPod = Pick<StoredPod, 'pod_id' | 'machine'>;

/** Retires pods in the background: they get no new requests, finish the running ones, and are stopped. */
export class Retirement {
  readonly #deps: RetirementDependencies;
  readonly #running = new Map<Slot, Promise<void>>();
  readonly #going = new Set<string>();
  readonly #closing = new AbortController();

  constructor(deps: RetirementDependencies) {
    this.#deps = deps;
  }

  /**
   * `limit`: how long running requests may continue, in milliseconds. Pods of other machines get no new requests from now on;
   * the platforms there find them in the table and stop them.
   */
  begin(slot: Slot, pods: readonly RetiredPod[], limit: number): Promise<void> {
    for (const { pod_id } of pods) this.#deps.dispatcherPods.retire(pod_id);
    const podIds = pods
      .filter(({ pod_id, machine }) => machine === this.#deps.machine && !this.#going.has(pod_id))
      .map(({ pod_id }) => pod_id);
    if (podIds.length === 0) return this.settled(slot);
    for (const podId of podIds) this.#going.add(podId);
    const ended = Promise.all([
      this.settled(slot),
      Promise.all(podIds.map((podId) => this.#retire(podId, limit))),
    ]).then(() => {});
    this.#running.set(slot, ended);
    return ended;
  }

  /** Stops pods of this machine like `begin`, and resolves when they have ended. Their rows are left to the caller. */
  async halt(pods: readonly RetiredPod[], limit: number, signal: AbortSignal): Promise<void> {
    for (const { pod_id } of pods) this.#deps.dispatcherPods.retire(pod_id);
    await Promise.all(
      pods.map(async ({ pod_id }) => {
        await this.#drain(pod_id, limit, AbortSignal.any([signal, this.#closing.signal]));
        await this.#deps.launcher.stop(pod_id);
        this.#deps.dispatcherPods.forget(pod_id);
      }),
    );
    signal.throwIfAborted();
  }

  /** Resolves when the slot's retired pods are gone. */
  settled(slot: Slot): Promise<void> {
    return this.#running.get(slot) ?? Promise.resolve();
  }

  /** Stops the retiring pods without waiting for their requests. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#running.values());
  }

  async #retire(podId: string, limit: number): Promise<void> {
    const { database, dispatcherPods, launcher, logger, machine } = this.#deps;
    await this.#drain(podId, limit, this.#closing.signal);
    try {
      await launcher.stop(podId);
      // During shutdown the dispatcher need not know. The row stays, and the next start removes it.
      if (this.#closing.signal.aborted) return;
      dispatcherPods.forget(podId);
      await deletePods(database, [podId], machine);
    } catch (error) {
      // The row stays, so another attempt follows.
      logger.error({ err: error, pod: podId }, 'could not stop a pod');
    } finally {
      this.#going.delete(podId);
    }
  }

  /** Waits until the pod has no requests, for at most `limit` milliseconds or until the signal fires. */
  async #drain(podId: string, limit: number, signal: AbortSignal): Promise<void> {
    const { clock, dispatcherPods, logger } = this.#deps;
    const pause = (time: number) => sleep(time, undefined, { signal }).catch(() => {});
    const deadline = clock.now() + limit;
    if (limit > 0) await pause(propagationTime);
    while (!signal.aborted && clock.now() < deadline && isBusy(dispatcherPods, podId)) await pause(50);
    if (signal.aborted || !isBusy(dispatcherPods, podId)) return;
    logger.warn({ pod: podId, limit }, 'stopping a replaced pod that still has running requests');
  }
}

/** Whether the pod has requests, by this dispatcher's count or by its own report. */
function isBusy(dispatcherPods: Pick<DispatcherPods, 'get'>, podId: string): boolean {
  const record = dispatcherPods.get(podId);
  return Math.max(Number(record?.in_flight ?? 0), record?.requests_num_running ?? 0) > 0;
}

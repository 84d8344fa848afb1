import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../../contracts/clock.ts';
import type { PodDesk, PodRunner } from '../../../contracts/launching.ts';
import type { Slot } from '../../../contracts/management/deployments.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { Logger } from '../../../platform/telemetry/logger.ts';
import { deletePods } from '../records/deployments-store.ts';

interface RetirementDependencies {
  database: Database;
  clock: Clock;
  logger: Pick<Logger, 'error' | 'warn'>;
  launcher: Pick<PodRunner, 'stop'>;
  desk: Pick<PodDesk, 'get' | 'retire' | 'forget'>;
}

/** Within which other threads and other dispatchers have heard that a pod is to be sent nothing more. */
const hearsay = 2_000;

/** Takes pods out of service in the background: nothing new is sent to them, what they answer may end, then they are stopped. */
export class Retirement {
  readonly #deps: RetirementDependencies;
  readonly #running = new Map<Slot, Promise<void>>();
  readonly #closing = new AbortController();

  constructor(deps: RetirementDependencies) {
    this.#deps = deps;
  }

  /** `limit`: how long their answers may go on, in milliseconds. */
  begin(slot: Slot, podIds: readonly string[], limit: number): Promise<void> {
    if (podIds.length === 0) return this.settled(slot);
    for (const podId of podIds) this.#deps.desk.retire(podId);
    const ended = Promise.all([
      this.settled(slot),
      Promise.all(podIds.map((podId) => this.#retire(podId, limit))),
    ]).then(() => {});
    this.#running.set(slot, ended);
    return ended;
  }

  /** When the slot's earlier pods are gone. */
  settled(slot: Slot): Promise<void> {
    return this.#running.get(slot) ?? Promise.resolve();
  }

  /** Waits for no more answers. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#running.values());
  }

  async #pause(time: number): Promise<void> {
    await sleep(time, undefined, { signal: this.#closing.signal }).catch(() => {});
  }

  async #retire(podId: string, limit: number): Promise<void> {
    const { database, clock, desk, launcher, logger } = this.#deps;
    const deadline = clock.now() + limit;
    if (limit > 0) await this.#pause(hearsay);
    while (!this.#closing.signal.aborted && clock.now() < deadline && isBusy(desk, podId)) {
      await this.#pause(50);
    }
    if (!this.#closing.signal.aborted && isBusy(desk, podId)) {
      logger.warn({ pod: podId, limit }, 'a replaced pod is stopped in the middle of answers');
    }
    try {
      await launcher.stop(podId);
      // Nobody is left to tell: its row stays, and the next start has it forgotten.
      if (this.#closing.signal.aborted) return;
      desk.forget(podId);
      await deletePods(database, [podId]);
    } catch (error) {
      // Its row is left, so the next start tries again.
      logger.error({ err: error, pod: podId }, 'a pod could not be stopped');
    }
  }
}

/** Requests that this dispatcher sent it, or that the pod says it has from others. */
function isBusy(desk: Pick<PodDesk, 'get'>, podId: string): boolean {
  const record = desk.get(podId);
  return Math.max(Number(record?.in_flight ?? 0), record?.requests_num_running ?? 0) > 0;
}

import type { Clock } from '../../../contracts/clock.ts';
import { fixedSlots, type Slot } from '../../../contracts/management/deployments.ts';
import type { Database } from '../../../platform/database/database.ts';
import { listDeployments, type StoredDeployment } from './deployments-store.ts';

interface SlotDirectoryOptions {
  database: Database;
  clock: Clock;
  /** How long requests for a replaced model go to its successor, in milliseconds. */
  handover: number;
}

/** What each slot serves, kept in memory so that requests need no database query. */
export class SlotDirectory {
  readonly #options: SlotDirectoryOptions;
  readonly #listeners = new Set<() => void>();
  #deployments = new Map<Slot, StoredDeployment>();
  #polling: NodeJS.Timeout | undefined;
  #expiring: NodeJS.Timeout | undefined;

  constructor(options: SlotDirectoryOptions) {
    this.#options = options;
  }

  /** Reads the table, and polls it if other processes may write to it. */
  async open(): Promise<void> {
    await this.#read();
    if (this.#options.database.exclusive) return;
    this.#polling = setInterval(() => void this.#read().catch(() => {}), 1_000);
    this.#polling.unref();
  }

  close(): void {
    clearInterval(this.#polling);
    clearTimeout(this.#expiring);
  }

  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  put(deployment: StoredDeployment): void {
    this.#deployments.set(deployment.slot, deployment);
    this.#changed();
  }

  remove(slot: Slot): void {
    this.#deployments.delete(slot);
    this.#changed();
  }

  /** The slots that always exist, and those that have a deployment. */
  slots(): Slot[] {
    return [...new Set([...fixedSlots, ...[...this.#deployments.keys()].sort()])];
  }

  /** The names of a slot's model and adapters. */
  names(slot: Slot): string[] {
    const deployment = this.#deployments.get(slot);
    return deployment ? [deployment.model_id, ...deployment.adapter_ids] : [];
  }

  /** During the handover after a swap: maps the name of the replaced model to its successor. */
  successors(slot: Slot): ReadonlyMap<string, string> {
    const deployment = this.#deployments.get(slot);
    const replaced = deployment?.replaced_model_id ?? null;
    if (!deployment || replaced === null || this.#handoverLeft(deployment) <= 0) return new Map();
    const isServed = this.slots().some((other) => this.names(other).includes(replaced));
    return new Map(isServed ? [] : [[replaced, deployment.model_id]]);
  }

  #handoverLeft({ deployed_at }: StoredDeployment): number {
    return deployed_at + this.#options.handover - this.#options.clock.now();
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
    clearTimeout(this.#expiring);
    const left = [...this.#deployments.values()].map((deployment) => this.#handoverLeft(deployment));
    const next = Math.min(...left.filter((time) => time > 0));
    if (!Number.isFinite(next)) return;
    this.#expiring = setTimeout(() => this.#changed(), Math.min(next + 1, 2 ** 31 - 1));
    this.#expiring.unref();
  }

  async #read(): Promise<void> {
    const rows = await listDeployments(this.#options.database);
    this.#deployments = new Map(rows.map((row) => [row.slot, row]));
    this.#changed();
  }
}

import { isDeepStrictEqual } from 'node:util';
import { fetch } from 'undici';
import type { PodRecord } from '../../../contracts/dispatcher/pods.ts';
import type { PodDesk } from '../../../contracts/launching.ts';
import type { Logger } from '../../../platform/telemetry/logger.ts';

interface RemoteOptions {
  /** Address of the dispatcher. */
  url: string;
  key: string | undefined;
  logger: Pick<Logger, 'warn' | 'info'>;
}

const pollEvery = 500;

/** The pods of a dispatcher in another process, polled over HTTP. */
export class RemotePods implements PodDesk {
  readonly #options: RemoteOptions;
  readonly #listeners = new Set<(pod: PodRecord) => void>();
  #pods = new Map<string, PodRecord>();
  #reachable = true;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: RemoteOptions) {
    this.#options = options;
    void this.#poll();
  }

  get(podId: string): PodRecord | undefined {
    return this.#pods.get(podId);
  }

  retire(podId: string): void {
    void this.#post({ pod_id: podId, retired: true }).catch((error: unknown) => {
      this.#options.logger.warn({ err: error, pod: podId }, 'could not tell the dispatcher to retire a pod');
    });
  }

  /** Local only: the pod reports its own end, and the dispatcher drops the record later. */
  forget(podId: string): void {
    this.#pods.delete(podId);
  }

  onChange(listener: (pod: PodRecord) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  async #poll(): Promise<void> {
    const { url, logger } = this.#options;
    try {
      this.#take((await this.#post(null)) as PodRecord[]);
      if (!this.#reachable) logger.info({ dispatcher: url }, 'the dispatcher is reachable again');
      this.#reachable = true;
    } catch (error) {
      if (this.#reachable)
        logger.warn({ dispatcher: url, err: error }, "the dispatcher can't be reached; trying again");
      this.#reachable = false;
    }
    if (!this.#closed) this.#timer = setTimeout(() => void this.#poll(), pollEvery).unref();
  }

  #take(records: PodRecord[]): void {
    const before = this.#pods;
    this.#pods = new Map(records.map((record) => [record.pod_id, record]));
    for (const record of records) {
      if (isDeepStrictEqual(before.get(record.pod_id), record)) continue;
      for (const listener of this.#listeners) listener(record);
    }
  }

  async #post(body: object | null): Promise<unknown> {
    const { url, key } = this.#options;
    const response = await fetch(new URL('/pods-info/', url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(key ? { authorization: `Bearer ${key}` } : {}) },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(5_000),
    });
    if (!response.ok) throw new Error(`the dispatcher answered ${response.status}`);
    return response.json();
  }
}

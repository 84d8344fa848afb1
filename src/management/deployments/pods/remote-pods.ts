import { isDeepStrictEqual } from 'node:util';
import { fetch } from 'undici';
import type { PodRecord } from '../../../contracts/dispatcher/pods.ts';
import type { DispatcherPods } from '../../../contracts/launching.ts';
import { databaseHeader } from '../../../platform/database/identity-store.ts';
import type { Logger } from '../../../platform/telemetry/logger.ts';

interface RemoteOptions {
  /** Address of the dispatcher. */
  url: string;
  key: string | undefined;
  /** The identity of this process's database, where the dispatcher should use the same one. */
  database?: string | undefined;
  logger: Pick<Logger, 'warn' | 'info'>;
}

const pollEvery = 500;
/** While the dispatcher does not answer, the pause doubles up to the first; while an operator has to act, it is the second. */
const longestPause = 5000;
const refusedPause = 10_000;

const remedy = 'set the same ROUNDHOUSE_ADMIN_TOKEN for both processes';

/** What an operator has to change; asking again soon does not help. */
class Misconfigured extends Error {}

/** The pods of a dispatcher in another process, polled over HTTP. */
export class RemotePods implements DispatcherPods {
  readonly #options: RemoteOptions;
  readonly #listeners = new Set<(pod: PodRecord) => void>();
  #pods = new Map<string, PodRecord>();
  #problem: string | null = 'the dispatcher has not answered yet';
  readonly #asked = Promise.withResolvers<void>();
  #pause = pollEvery;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: RemoteOptions) {
    this.#options = options;
    if (options.key === undefined) {
      options.logger.warn(
        { dispatcher: options.url },
        `this process has no key for the dispatcher: ${remedy}`,
      );
    }
    void this.#poll();
  }

  get problem(): string | null {
    return this.#problem;
  }

  /** Resolves when the dispatcher has been asked for the first time, whatever it answered. */
  get asked(): Promise<void> {
    return this.#asked.promise;
  }

  get(podId: string): PodRecord | undefined {
    return this.#pods.get(podId);
  }

  list(): PodRecord[] {
    return [...this.#pods.values()];
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
    try {
      this.#take((await this.#post(null)) as PodRecord[]);
      this.#answered();
    } catch (error) {
      this.#failed(error);
    }
    this.#asked.resolve();
    if (!this.#closed) this.#timer = setTimeout(() => void this.#poll(), this.#pause).unref();
  }

  #answered(): void {
    const { url, logger } = this.#options;
    if (this.#problem !== null) logger.info({ dispatcher: url }, 'the dispatcher answers');
    this.#problem = null;
    this.#pause = pollEvery;
  }

  #failed(error: unknown): void {
    const { url, logger } = this.#options;
    const isFinal = error instanceof Misconfigured;
    const problem = isFinal ? error.message : unreachable(url, error);
    if (this.#problem !== problem) logger.warn({ dispatcher: url }, problem);
    this.#problem = problem;
    this.#pause = isFinal ? refusedPause : Math.min(longestPause, this.#pause * 2);
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
    if (response.status === 401 || response.status === 403) {
      const reason = key ? "refuses this process's key" : 'requires a key, and this process has none';
      await response.body?.cancel();
      throw new Misconfigured(`the dispatcher ${reason}: ${remedy}`);
    }
    if (!response.ok && response.status !== 404) throw new Error(`it answers ${response.status}`);
    const answer = await response.json().catch(() => undefined);
    if (response.status === 404 || answer === undefined) {
      throw new Misconfigured(
        `what answers at ${url} is not a Roundhouse dispatcher: set ROUNDHOUSE_DISPATCHER_URL to the address of one`,
      );
    }
    this.#compareDatabases(response.headers.get(databaseHeader));
    return answer;
  }

  #compareDatabases(theirs: string | null): void {
    const { database: ours, url } = this.#options;
    if (ours === undefined || theirs === null || theirs === ours) return;
    throw new Misconfigured(
      `the dispatcher at ${url} uses another database, so it does not know the keys of this process: set the same ROUNDHOUSE_DATABASE_URL for both processes`,
    );
  }
}

function unreachable(url: string, error: unknown): string {
  const { message, cause } = error as Error & { cause?: { code?: string; message?: string } };
  const why = cause?.code ?? cause?.message ?? message;
  return `the dispatcher can't be reached at ${url} (${why}): start it there, or set ROUNDHOUSE_DISPATCHER_URL; trying again`;
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { fetch } from 'undici';
import type { PodRecord } from '../../contracts/dispatcher/pods.ts';
import type { ModelResponse } from '../../contracts/openai/models.ts';
import { shapeFinder } from '../../platform/http/errors/error-handling.ts';
import { Forwarder } from '../../platform/http/forwarding/forwarder.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import { addressOf } from '../../platform/wire/open-socket.ts';
import type { PodDesk } from '../deployments/pods/pods.ts';
import type { Inference } from './routes.ts';
import { inferenceSurfaces } from './surfaces.ts';

interface RemoteOptions {
  url: string;
  key: string | undefined;
  logger: Pick<Logger, 'warn' | 'info'>;
}

const lookEvery = 500;
const shapeOf = shapeFinder(inferenceSurfaces());

/** The dispatcher of another process, reached over HTTP. Its pods and models are polled. */
export class RemoteDispatcher implements PodDesk, Inference {
  readonly #options: RemoteOptions;
  readonly #forwarder: Forwarder;
  readonly #listeners = new Set<(pod: PodRecord) => void>();
  #pods = new Map<string, PodRecord>();
  #models: ModelResponse = { object: 'list', data: [] };
  #reachable = true;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: RemoteOptions) {
    this.#options = options;
    this.#forwarder = new Forwarder({ target: addressOf(new URL(options.url)), name: 'the dispatcher' });
    void this.#look();
  }

  get(podId: string): PodRecord | undefined {
    return this.#pods.get(podId);
  }

  retire(podId: string): void {
    void this.#post({ pod_id: podId, retired: true }).catch((error: unknown) => {
      this.#options.logger.warn({ err: error, pod: podId }, 'could not report a pod to the dispatcher');
    });
  }

  /** The pod reports its own end to the dispatcher, which forgets it in time. */
  forget(podId: string): void {
    this.#pods.delete(podId);
  }

  onChange(listener: (pod: PodRecord) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  readonly models = (): ModelResponse => this.#models;

  /** The dispatcher serves the same paths, and its errors have the same shapes. */
  readonly forward = (request: IncomingMessage, response: ServerResponse, path: string): void => {
    this.#forwarder.forward(request, response, path, shapeOf(path));
  };

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#forwarder.close();
  }

  async #look(): Promise<void> {
    const { url, logger } = this.#options;
    try {
      const records = (await this.#post(null)) as PodRecord[];
      const models = await fetch(new URL('/v1/models', url), { headers: this.#headers() });
      this.#models = (await models.json()) as ModelResponse;
      this.#take(records);
      if (!this.#reachable) logger.info({ dispatcher: url }, 'the dispatcher is reachable again');
      this.#reachable = true;
    } catch (error) {
      if (this.#reachable)
        logger.warn({ dispatcher: url, err: error }, "can't reach the dispatcher; retrying");
      this.#reachable = false;
    }
    if (!this.#closed) this.#timer = setTimeout(() => void this.#look(), lookEvery).unref();
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
    const response = await fetch(new URL('/pods-info/', this.#options.url), {
      method: 'POST',
      headers: { ...this.#headers(), 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(5_000),
    });
    if (!response.ok) throw new Error(`it answered ${response.status}`);
    return response.json();
  }

  #headers(): Record<string, string> {
    return this.#options.key ? { authorization: `Bearer ${this.#options.key}` } : {};
  }
}

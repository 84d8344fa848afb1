import { request as call, type IncomingMessage, type ServerResponse } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { fetch } from 'undici';
import type { PodRecord } from '../../contracts/dispatcher/pods.ts';
import type { ModelResponse } from '../../contracts/openai/models.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { PodDesk } from '../deployments/pods/pods.ts';
import type { Inference } from './routes.ts';

interface RemoteOptions {
  url: string;
  key: string | undefined;
  logger: Pick<Logger, 'warn' | 'info'>;
}

const lookEvery = 500;
const unreachable = JSON.stringify({ detail: 'the dispatcher does not answer' });

/** The dispatcher of another process, asked over HTTP: what it knows of pods is read again and again. */
export class RemoteDispatcher implements PodDesk, Inference {
  readonly #options: RemoteOptions;
  readonly #listeners = new Set<(pod: PodRecord) => void>();
  #pods = new Map<string, PodRecord>();
  #models: ModelResponse = { object: 'list', data: [] };
  #reachable = true;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: RemoteOptions) {
    this.#options = options;
    void this.#look();
  }

  get(podId: string): PodRecord | undefined {
    return this.#pods.get(podId);
  }

  retire(podId: string): void {
    void this.#post({ pod_id: podId, retired: true }).catch((error: unknown) => {
      this.#options.logger.warn({ err: error, pod: podId }, 'the dispatcher could not be told of a pod');
    });
  }

  /** It says itself that it ends, and the dispatcher forgets it in time. */
  forget(podId: string): void {
    this.#pods.delete(podId);
  }

  onChange(listener: (pod: PodRecord) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  readonly models = (): ModelResponse => this.#models;

  /** The dispatcher serves the same paths, and refuses in the same shapes. */
  readonly forward = (request: IncomingMessage, response: ServerResponse, path: string): void => {
    const { method, rawHeaders } = request;
    // Not the request's own target: that may name another host.
    const inner = call(
      new URL(path, this.#options.url),
      { method, headers: rawHeaders, setHost: false },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
        answer.pipe(response);
      },
    );
    inner.on('error', () => {
      if (response.headersSent) response.destroy();
      else
        response.writeHead(503, { 'content-type': 'application/json', 'retry-after': '5' }).end(unreachable);
    });
    response.on('close', () => inner.destroy());
    request.pipe(inner);
  };

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  async #look(): Promise<void> {
    const { url, logger } = this.#options;
    try {
      const records = (await this.#post(null)) as PodRecord[];
      const models = await fetch(new URL('/v1/models', url), { headers: this.#headers() });
      this.#models = (await models.json()) as ModelResponse;
      this.#take(records);
      if (!this.#reachable) logger.info({ dispatcher: url }, 'the dispatcher is back');
      this.#reachable = true;
    } catch (error) {
      if (this.#reachable)
        logger.warn({ dispatcher: url, err: error }, "can't reach the dispatcher; trying again");
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

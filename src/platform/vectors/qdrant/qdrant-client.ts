import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from 'undici';
import { Problem, Unavailable } from '../../../contracts/problems.ts';
import { qdrantProblem, qdrantSilent } from './qdrant-problems.ts';

export interface QdrantSettings {
  url: string;
  api_key?: string | undefined;
  /** Milliseconds per call, including retries. */
  timeout: number;
}

interface CallOptions {
  signal?: AbortSignal | undefined;
  timeout?: number;
  attempts?: number;
}

const CONNECTIONS = 32;
/** Milliseconds before the second attempt; twice as many before the third. */
const PAUSE = 200;

/** Calls a Qdrant server. All calls can be repeated, so failures that may pass are. */
export class QdrantClient {
  readonly #settings: QdrantSettings;
  readonly #origin: string;
  readonly #prefix: string;
  readonly #agent = new Agent({ connections: CONNECTIONS, keepAliveTimeout: 30_000 });

  constructor(settings: QdrantSettings) {
    const { origin, pathname } = new URL(settings.url);
    this.#settings = settings;
    this.#origin = origin;
    this.#prefix = pathname.replace(/\/+$/, '');
  }

  /** The `result` of the answer; undefined where the server answers 404. */
  async call(
    method: 'GET' | 'PUT' | 'POST' | 'DELETE',
    path: string,
    body?: unknown,
    { signal, timeout = this.#settings.timeout, attempts = 3 }: CallOptions = {},
  ): Promise<unknown> {
    const limit = AbortSignal.timeout(timeout);
    const either = signal ? AbortSignal.any([signal, limit]) : limit;
    const text = body === undefined ? null : JSON.stringify(body);
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#attempt(method, path, text, either);
      } catch (error) {
        signal?.throwIfAborted();
        const temporary = !(error instanceof Problem) || error instanceof Unavailable;
        if (limit.aborted || !temporary || attempt >= attempts)
          throw error instanceof Problem ? error : qdrantSilent(error);
        await sleep(PAUSE * attempt, undefined, { signal: either }).catch(() => {});
      }
    }
  }

  async close(): Promise<void> {
    await this.#agent.close();
  }

  async #attempt(
    method: 'GET' | 'PUT' | 'POST' | 'DELETE',
    path: string,
    body: string | null,
    signal: AbortSignal,
  ): Promise<unknown> {
    const { api_key: key } = this.#settings;
    const answer = await this.#agent.request({
      origin: this.#origin,
      path: this.#prefix + path,
      method,
      body,
      signal,
      headers: {
        ...(body === null ? {} : { 'content-type': 'application/json' }),
        ...(key === undefined ? {} : { 'api-key': key }),
      },
    });
    const text = await answer.body.text();
    if (answer.statusCode === 404) return undefined;
    if (answer.statusCode >= 300) throw qdrantProblem(answer.statusCode, text.slice(0, 500));
    return (JSON.parse(text) as { result: unknown }).result;
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import { BadRequest, NotFound } from '../../../contracts/problems.ts';
import {
  type EngineFacts,
  EngineStartFailed,
  type EngineStatus,
  type UpstreamEngine,
  type UpstreamState,
} from '../../engine.ts';
import { llamaServer } from '../llama-server/llama-server.ts';
import { readSamples } from '../server/prometheus.ts';
import { Upstream } from '../server/upstream.ts';
import { vllm } from '../vllm/vllm.ts';

export interface AttachOptions {
  /** With or without a trailing `/v1`. */
  baseUrl: string;
  key?: string;
  /** The server's name for the model; may be absent if it serves only one. */
  model?: string;
  servedModelName?: string;
  timing?: { answer?: number; watch?: number };
}

interface ListedModel {
  id: string;
  parent?: string | null;
  max_model_len?: number | null;
}

/** Serves a model of an external server that speaks OpenAI's API. */
export async function attachOpenai(options: AttachOptions): Promise<UpstreamEngine> {
  const engine = new AttachedServer(options);
  await engine.start();
  return engine;
}

class AttachedServer implements UpstreamEngine {
  readonly kind = 'upstream';
  /** Never resolves: an external server is used again when it comes back. */
  readonly gone = new Promise<string>(() => {});
  readonly #options: AttachOptions;
  readonly #upstream: Upstream;
  readonly #timing: { answer: number; watch: number };
  readonly #stopped = new AbortController();
  #model = '';
  #models: ListedModel[] = [];
  #status: EngineStatus = { running: 0, waiting: 0, parallel: 256 };
  #state: UpstreamState = { ready: false, text: 'not yet reached', restarts: 0 };

  constructor(options: AttachOptions) {
    this.#options = options;
    this.#timing = { answer: 10_000, watch: 2_500, ...options.timing };
    this.#upstream = new Upstream(options.baseUrl.replace(/\/+$/, '').replace(/\/v1$/, ''), options.key);
  }

  get baseUrl(): string {
    return this.#upstream.baseUrl;
  }

  get headers(): Record<string, string> {
    return this.#upstream.headers;
  }

  get facts(): EngineFacts {
    const own = this.#models.find(({ id }) => id === this.#model);
    return { engine: 'openai', contextLength: own?.max_model_len ?? undefined };
  }

  async start(): Promise<void> {
    if (!(await this.#refresh())) {
      throw new EngineStartFailed(
        'failed',
        `No OpenAI-compatible server found at ${this.baseUrl}, or it rejects the key: /v1/models returned no list.`,
      );
    }
    this.#model = this.#chooseModel();
    void this.#watch();
  }

  status(): EngineStatus {
    return this.#status;
  }

  state(): UpstreamState {
    return { ...this.#state };
  }

  adapters(): string[] {
    return this.#models.filter(({ parent }) => parent === this.#model).map(({ id }) => id);
  }

  upstreamModel(name: string): string {
    return this.adapters().includes(name) ? name : this.#model;
  }

  bodyFields(): Record<string, unknown> {
    return {};
  }

  async loadAdapter(name: string): Promise<void> {
    if (this.adapters().includes(name)) return;
    throw new BadRequest(`adapter '${name}': adapters of an external server are managed by its operator.`);
  }

  async unloadAdapter(name: string): Promise<void> {
    if (!this.adapters().includes(name)) throw new NotFound('adapter', name);
    throw new BadRequest(`adapter '${name}': adapters of an external server are managed by its operator.`);
  }

  async close(): Promise<void> {
    this.#stopped.abort();
    this.#state = { ...this.#state, ready: false, text: 'closed' };
  }

  #chooseModel(): string {
    const names = this.#models.map(({ id }) => id);
    const requested = [this.#options.model, this.#options.servedModelName].filter(
      (name) => name !== undefined,
    );
    const found = requested.find((name) => names.includes(name));
    if (found !== undefined) return found;
    const bases = this.#models.filter(({ parent }) => !parent);
    if (this.#options.model === undefined && bases.length === 1) return bases[0]?.id as string;
    throw new EngineStartFailed(
      'missing-file',
      `The server at ${this.baseUrl} does not serve ${requested[0] ?? 'exactly one model'}; its models: ${names.join(', ') || 'none'}.`,
    );
  }

  async #watch(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      await sleep(this.#timing.watch, undefined, { signal, ref: false }).catch(() => {});
      if (!signal.aborted) await this.#refresh();
    }
  }

  /** Reads the server's models and metrics; returns false if it does not respond. */
  async #refresh(): Promise<boolean> {
    const text = await this.#upstream.text('/v1/models', this.#timing.answer);
    const models = text === undefined ? undefined : readModels(text);
    if (this.#stopped.signal.aborted) return false;
    const ready = models !== undefined;
    this.#state = { ...this.#state, ready, text: ready ? 'ready' : 'the server does not respond' };
    if (models === undefined) return false;
    this.#models = models;
    await this.#readMetrics();
    return true;
  }

  async #readMetrics(): Promise<void> {
    const page = await this.#upstream.text('/metrics', this.#timing.answer);
    const server = [vllm, llamaServer].find(({ name }) =>
      page?.includes(name === 'vllm' ? '\nvllm:' : '\nllamacpp:'),
    );
    if (server !== undefined && page !== undefined) {
      this.#status = { ...server.status(readSamples(page)), parallel: server.defaultParallel };
    }
  }
}

function readModels(text: string): ListedModel[] | undefined {
  try {
    const { data } = JSON.parse(text) as { data?: unknown };
    if (!Array.isArray(data)) return undefined;
    return data.filter((model): model is ListedModel => typeof model?.id === 'string');
  } catch {
    return undefined;
  }
}

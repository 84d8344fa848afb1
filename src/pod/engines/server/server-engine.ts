import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Conflict, NotFound, Unavailable } from '../../../contracts/problems.ts';
import type { EngineFacts, EngineStatus, UpstreamEngine, UpstreamState } from '../../engine.ts';
import type { ChildGroup } from './child-group.ts';
import { CounterSum } from './counter-sum.ts';
import { freePort } from './free-port.ts';
import { launchServer } from './launch-server.ts';
import { readSamples } from './prometheus.ts';
import type { Adapter, ServerKind, ServerOptions, ServerTiming } from './server-kind.ts';
import { readTokenizerConfig } from './tokenizer-config.ts';
import { Upstream } from './upstream.ts';

const defaultTiming: ServerTiming = {
  start: 30 * 60_000,
  watch: 2_500,
  answer: 10_000,
  misses: 3,
  pause: 1_000,
  maxPause: 30_000,
  failures: 5,
  stop: 5_000,
};

/** Starts the server and keeps it running; resolves when it responds. */
export async function startServer(kind: ServerKind, options: ServerOptions): Promise<UpstreamEngine> {
  const engine = new ServerEngine(kind, options, await freePort());
  await engine.start();
  return engine;
}

class ServerEngine implements UpstreamEngine {
  readonly kind = 'upstream';
  readonly gone: Promise<string>;
  readonly #server: ServerKind;
  readonly #options: ServerOptions;
  readonly #timing: ServerTiming;
  readonly #upstream: Upstream;
  readonly #key = randomBytes(24).toString('hex');
  readonly #port: number;
  readonly #counters = new CounterSum();
  #adapters: Adapter[];
  /** Adapters passed to the running process at its start. */
  #startedWith: Adapter[] = [];
  #child: ChildGroup | undefined;
  #status: Omit<EngineStatus, 'parallel'> = { running: 0, waiting: 0 };
  #state: UpstreamState = { ready: false, text: 'starting', restarts: 0 };
  #contextLength: number | undefined;
  #closed = false;
  #resolveGone: (reason: string) => void = () => {};
  #changing: Promise<unknown> = Promise.resolve();

  constructor(server: ServerKind, options: ServerOptions, port: number) {
    this.#server = server;
    this.#options = options;
    this.#timing = { ...defaultTiming, ...options.timing };
    this.#port = port;
    this.#adapters = [...(options.adapters ?? [])];
    this.#upstream = new Upstream(`http://127.0.0.1:${port}`, this.#key);
    this.gone = new Promise((resolve) => {
      this.#resolveGone = resolve;
    });
  }

  get baseUrl(): string {
    return this.#upstream.baseUrl;
  }

  get headers(): Record<string, string> {
    return this.#upstream.headers;
  }

  get facts(): EngineFacts {
    return {
      engine: this.#server.name,
      contextLength: this.#options.maxModelLen ?? this.#contextLength,
      quantization: this.#options.quantization,
    };
  }

  tokenizerInfo(): Record<string, unknown> | undefined {
    return readTokenizerConfig(this.#options.model);
  }

  async start(): Promise<void> {
    for (const adapter of this.#adapters) this.#server.checkAdapter(adapter);
    await this.#launch();
    void this.#watch();
  }

  status(): EngineStatus {
    const parallel = this.#options.parallel ?? this.#server.defaultParallel;
    return { ...this.#status, parallel, counted: this.#counters.total(this.#status.counted) };
  }

  state(): UpstreamState {
    return { ...this.#state, processId: this.#child?.pid };
  }

  adapters(): string[] {
    return this.#adapters.map(({ name }) => name);
  }

  upstreamModel(name: string): string {
    return this.#server.upstreamModel(this.#options.servedModelName, this.#adapterNamed(name));
  }

  bodyFields(name: string): Record<string, unknown> {
    return this.#server.bodyFields(this.#startedWith, this.#adapterNamed(name));
  }

  loadAdapter(name: string, path: string): Promise<void> {
    return this.#change(async () => {
      const adapter = { name, path };
      const present = this.#adapters.find((other) => other.name === name);
      if (present?.path === path) return;
      if (present || name === this.#options.servedModelName) {
        throw new Conflict(`The name '${name}' is already used by another model.`);
      }
      this.#server.checkAdapter(adapter);
      const live = this.#server.live;
      if (live?.possible(this.#startedWith)) {
        await live.load(this.#upstream, adapter);
        this.#adapters = [...this.#adapters, adapter];
        return;
      }
      const before = this.#adapters;
      this.#adapters = [...before, adapter];
      await this.#relaunch().catch(async (error) => {
        this.#adapters = before;
        await this.#relaunch();
        throw error;
      });
    });
  }

  unloadAdapter(name: string): Promise<void> {
    return this.#change(async () => {
      const adapter = this.#adapters.find((other) => other.name === name);
      if (adapter === undefined) throw new NotFound('adapter', name);
      await this.#server.live?.unload(this.#upstream, adapter);
      this.#adapters = this.#adapters.filter((other) => other !== adapter);
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#state = { ...this.#state, ready: false, text: 'closed' };
    await this.#child?.stop(this.#timing.stop);
    // A launch in progress fails because of the stop, or kills the process that it started.
    await this.#changing;
    await this.#child?.stop(this.#timing.stop);
  }

  /** Runs one change at a time, because a restarting server can't load adapters. */
  #change(work: () => Promise<void>): Promise<void> {
    const turn = this.#changing.then(() => {
      if (this.#closed) throw new Unavailable('The engine is closed.');
      return work();
    });
    this.#changing = turn.catch(() => {});
    return turn;
  }

  #adapterNamed(name: string): string | undefined {
    return this.#adapters.some((adapter) => adapter.name === name) ? name : undefined;
  }

  /** Starts the process and waits until it responds. */
  async #launch(): Promise<void> {
    const adapters = [...this.#adapters];
    await launchServer({
      server: this.#server,
      options: this.#options,
      timing: this.#timing,
      adapters,
      port: this.#port,
      key: this.#key,
      upstream: this.#upstream,
      onSpawn: (child) => {
        this.#child = child;
        this.#startedWith = adapters;
        if (this.#closed) child.kill();
      },
      onProgress: (progress) => {
        if (this.#state.ready) return;
        this.#state = { ...this.#state, text: progress.text };
        this.#options.onProgress?.(progress);
      },
    });
    if (this.#closed) throw new Unavailable('The engine was closed.');
    await this.#refresh();
    this.#state = { ...this.#state, ready: true, text: 'ready' };
  }

  async #relaunch(): Promise<void> {
    this.#state = {
      ...this.#state,
      ready: false,
      text: 'restarting',
      restarts: this.#state.restarts + 1,
    };
    const old = this.#child;
    this.#child = undefined;
    this.#counters.keep(this.#status.counted);
    this.#status = { running: 0, waiting: 0 };
    await old?.stop(this.#timing.stop);
    await this.#launch();
  }

  /** Monitors the server and restarts it, for the lifetime of the engine. */
  async #watch(): Promise<void> {
    while (!this.#closed) {
      const child = this.#child;
      const reason = child === undefined ? undefined : await this.#untilUnhealthy(child);
      if (this.#closed) return;
      // Stopped on purpose by an adapter change, which also restarts it.
      if (child === undefined || child !== this.#child) await sleep(50);
      else if (!(await this.#restart(child, reason ?? ''))) return;
    }
  }

  async #untilUnhealthy(child: ChildGroup): Promise<string> {
    let misses = 0;
    let ended: string | undefined;
    void child.ended.then(({ code, signal }) => {
      ended = signal === null ? `it exited with code ${code}` : `it was terminated by ${signal}`;
    });
    while (ended === undefined && !this.#closed && this.#child === child) {
      await Promise.race([child.ended, sleep(this.#timing.watch)]);
      if (ended !== undefined || !this.#state.ready) continue;
      misses = (await this.#refresh()) ? 0 : misses + 1;
      if (misses < this.#timing.misses) continue;
      child.kill();
      return 'it stopped responding';
    }
    return ended ?? '';
  }

  /** Restarts the server; returns false after too many failures. */
  async #restart(unhealthy: ChildGroup, reason: string): Promise<boolean> {
    let last = reason;
    let child: ChildGroup | undefined = unhealthy;
    for (let failures = 0; failures < this.#timing.failures; failures++) {
      this.#state = { ...this.#state, ready: false, text: `restarting: ${last}` };
      await sleep(Math.min(this.#timing.maxPause, this.#timing.pause * 2 ** failures));
      if (this.#closed) return false;
      this.#options.log(`restarting ${this.#server.title}: ${last}`);
      const outcome = await this.#change(async () => {
        // An adapter change may have restarted it in the meantime.
        if (this.#child === child) await this.#relaunch();
      }).then(
        () => undefined,
        (error: Error) => error.message,
      );
      if (outcome === undefined) return true;
      last = outcome;
      child = this.#child;
    }
    if (!this.#closed) {
      this.#state = { ...this.#state, ready: false, text: last };
      this.#resolveGone(last);
    }
    return false;
  }

  /** Reads the server's metrics and health; returns false if it is not healthy. */
  async #refresh(): Promise<boolean> {
    const page = await this.#upstream.text('/metrics', this.#timing.answer);
    if (page !== undefined) this.#status = this.#server.status(readSamples(page));
    if (this.#contextLength === undefined) await this.#readContextLength();
    // Metrics may be delayed by a long prompt, so only the health check decides.
    return this.#upstream.healthy('/health', this.#timing.answer);
  }

  async #readContextLength(): Promise<void> {
    const text = await this.#upstream.text('/v1/models', this.#timing.answer);
    if (text === undefined) return;
    const list = JSON.parse(text) as { data?: { max_model_len?: number; meta?: { n_ctx?: number } }[] };
    this.#contextLength = list.data?.[0]?.max_model_len ?? list.data?.[0]?.meta?.n_ctx;
  }
}

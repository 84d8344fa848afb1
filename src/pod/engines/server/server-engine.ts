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
import { Upstream } from './upstream.ts';

const defaultTiming: ServerTiming = {
  start: 30 * 60_000,
  watch: 2_500,
  answer: 10_000,
  misses: 3,
  pause: 1_000,
  longestPause: 30_000,
  failures: 5,
  stop: 5_000,
};

/** Starts the server and keeps it running; settles when it answers. */
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
  /** Those that the running process was given at its start. */
  #startedWith: Adapter[] = [];
  #child: ChildGroup | undefined;
  #status: Omit<EngineStatus, 'parallel'> = { running: 0, waiting: 0 };
  #state: UpstreamState = { ready: false, text: 'starting', restarts: 0 };
  #contextLength: number | undefined;
  #closed = false;
  #sayGone: (reason: string) => void = () => {};
  #changing: Promise<unknown> = Promise.resolve();

  constructor(server: ServerKind, options: ServerOptions, port: number) {
    this.#server = server;
    this.#options = options;
    this.#timing = { ...defaultTiming, ...options.timing };
    this.#port = port;
    this.#adapters = [...(options.adapters ?? [])];
    this.#upstream = new Upstream(`http://127.0.0.1:${port}`, this.#key);
    this.gone = new Promise((resolve) => {
      this.#sayGone = resolve;
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
        throw new Conflict(`The name '${name}' is taken by another model.`);
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
    // A start that was under way ends with that, or kills what it started.
    await this.#changing;
    await this.#child?.stop(this.#timing.stop);
  }

  /** One change at a time: a server that is being started again takes no adapter. */
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

  /** Starts the process and waits until it answers. */
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
    await this.#learn();
    this.#state = { ...this.#state, ready: true, text: 'ready' };
  }

  async #relaunch(): Promise<void> {
    this.#state = {
      ...this.#state,
      ready: false,
      text: 'starting again',
      restarts: this.#state.restarts + 1,
    };
    const old = this.#child;
    this.#child = undefined;
    this.#counters.keep(this.#status.counted);
    this.#status = { running: 0, waiting: 0 };
    await old?.stop(this.#timing.stop);
    await this.#launch();
  }

  /** Looks after the server for as long as the engine lives. */
  async #watch(): Promise<void> {
    while (!this.#closed) {
      const child = this.#child;
      const reason = child === undefined ? undefined : await this.#untilIll(child);
      if (this.#closed) return;
      // Taken down on purpose, by a change of its adapters, which brings it up again.
      if (child === undefined || child !== this.#child) await sleep(50);
      else if (!(await this.#revive(child, reason ?? ''))) return;
    }
  }

  async #untilIll(child: ChildGroup): Promise<string> {
    let misses = 0;
    let ended: string | undefined;
    void child.ended.then(({ code, signal }) => {
      ended = signal === null ? `it ended with code ${code}` : `it was ended by ${signal}`;
    });
    while (ended === undefined && !this.#closed && this.#child === child) {
      await Promise.race([child.ended, sleep(this.#timing.watch)]);
      if (ended !== undefined || !this.#state.ready) continue;
      misses = (await this.#learn()) ? 0 : misses + 1;
      if (misses < this.#timing.misses) continue;
      child.kill();
      return 'it no longer answered';
    }
    return ended ?? '';
  }

  /** False where it was tried too often. */
  async #revive(ill: ChildGroup, reason: string): Promise<boolean> {
    let last = reason;
    let child: ChildGroup | undefined = ill;
    for (let failures = 0; failures < this.#timing.failures; failures++) {
      this.#state = { ...this.#state, ready: false, text: `starting again: ${last}` };
      await sleep(Math.min(this.#timing.longestPause, this.#timing.pause * 2 ** failures));
      if (this.#closed) return false;
      this.#options.log(`${this.#server.title} is started again: ${last}`);
      const outcome = await this.#change(async () => {
        // A change of adapters may have brought it up meanwhile.
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
      this.#sayGone(last);
    }
    return false;
  }

  /** Reads what it says of itself. False where it does not answer. */
  async #learn(): Promise<boolean> {
    const page = await this.#upstream.text('/metrics', this.#timing.answer);
    if (page !== undefined) this.#status = this.#server.status(readSamples(page));
    if (this.#contextLength === undefined) await this.#learnContext();
    // The metrics may have to wait for a long prompt's turn: their absence alone is no illness.
    return this.#upstream.healthy('/health', this.#timing.answer);
  }

  async #learnContext(): Promise<void> {
    const text = await this.#upstream.text('/v1/models', this.#timing.answer);
    if (text === undefined) return;
    const list = JSON.parse(text) as { data?: { max_model_len?: number; meta?: { n_ctx?: number } }[] };
    this.#contextLength = list.data?.[0]?.max_model_len ?? list.data?.[0]?.meta?.n_ctx;
  }
}

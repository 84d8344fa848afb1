import { InsufficientMemoryError, type LlamaContext } from 'node-llama-cpp';
import { Unavailable } from '../../../contracts/problems.ts';
import type { LoadedModel } from './model/load-model.ts';
import { checkContextMemory } from './model/memory.ts';
import { freeAdapter } from './native.ts';
import { SequencePool } from './sequences/sequence-pool.ts';

export interface ContextOptions {
  loaded: LoadedModel;
  parallel: number;
  /** Maximum number of adapter contexts in memory. */
  resident: number;
  /** Available memory in bytes; tests pass their own. */
  availableMemory?: () => number;
}

/** A requested adapter. Users are counted from the first request on, so its context is not dropped before use. */
interface Entry {
  path: string;
  users: number;
  lastUsed: number;
  ready: Promise<SequencePool>;
  /** Set once the context is created. */
  pool?: SequencePool;
}

/** Bytes that must stay free when a context is created. */
const memoryReserve = 256 * 1024 * 1024;

/**
 * One context for the base model and one per adapter in use. Adapter contexts are created on demand; the least
 * recently used one is dropped when there are too many or memory is short.
 */
export class Contexts {
  readonly base: SequencePool;
  readonly #options: ContextOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #dropping = new Map<string, Promise<void>>();
  readonly #released = new Set<() => void>();
  #making: Promise<unknown> = Promise.resolve();
  #uses = 0;

  private constructor(options: ContextOptions, base: SequencePool) {
    this.#options = options;
    this.base = base;
  }

  static async create(options: ContextOptions): Promise<Contexts> {
    const { loaded, parallel, availableMemory = process.availableMemory } = options;
    checkContextMemory(loaded.model, loaded.contextLength, parallel, availableMemory());
    return new Contexts(options, new SequencePool(await createContext(options)));
  }

  get pools(): SequencePool[] {
    return [this.base, ...this.#made().flatMap(({ pool }) => pool ?? [])];
  }

  /** Runs `work` with the adapter's context, which is kept at least until `work` is done. */
  async withAdapter<Result>(
    path: string,
    signal: AbortSignal,
    work: (pool: SequencePool) => Promise<Result>,
  ): Promise<Result> {
    const entry = this.#entries.get(path) ?? this.#make(path);
    entry.users++;
    try {
      return await work(await unlessAborted(entry.ready, signal));
    } finally {
      entry.users--;
      entry.lastUsed = ++this.#uses;
      for (const wake of this.#released) wake();
    }
  }

  /** Frees an adapter's context and weights after its last use. A later request reads the file again. */
  async drop(path: string): Promise<void> {
    const entry = this.#entries.get(path);
    if (!entry) return this.#dropping.get(path);
    this.#entries.delete(path);
    const dropped = (async () => {
      await entry.ready.catch(() => undefined);
      while (entry.users > 0) await this.#nextRelease();
      await this.#dispose(entry);
    })().finally(() => this.#dropping.delete(path));
    this.#dropping.set(path, dropped);
    return dropped;
  }

  async dispose(): Promise<void> {
    await Promise.allSettled([
      ...this.#dropping.values(),
      ...[...this.#entries.values()].map(({ ready }) => ready),
    ]);
    for (const pool of this.pools) await pool.context.dispose();
    this.#entries.clear();
  }

  #made(): Entry[] {
    return [...this.#entries.values()].filter(({ pool }) => pool !== undefined);
  }

  /**
   * Creates a context for all waiting requests; one that aborts does not stop it. Waits for the disposal of an
   * earlier one.
   */
  #make(path: string): Entry {
    const gone = this.#dropping.get(path) ?? Promise.resolve();
    const ready = gone.then(() =>
      this.#oneAtATime(async () => {
        await this.#makeRoom();
        entry.pool = new SequencePool(await this.#create(path));
        return entry.pool;
      }),
    );
    const entry: Entry = { path, users: 0, lastUsed: ++this.#uses, ready };
    this.#entries.set(path, entry);
    ready.catch(() => this.#forget(entry));
    return entry;
  }

  #oneAtATime<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#making.then(work);
    this.#making = done.catch(() => undefined);
    return done;
  }

  #forget(entry: Entry): void {
    if (this.#entries.get(entry.path) === entry) this.#entries.delete(entry.path);
  }

  async #makeRoom(): Promise<void> {
    const { resident, availableMemory = process.availableMemory } = this.#options;
    const needed = this.base.context.memoryUsage.ram;
    const isTight = () => availableMemory() < needed + memoryReserve;
    for (
      let made = this.#made();
      made.length >= resident || (made.length > 0 && isTight());
      made = this.#made()
    ) {
      const idle = made.filter(({ users }) => users === 0);
      const oldest = idle.sort((a, b) => a.lastUsed - b.lastUsed)[0];
      if (oldest) await this.#dispose(oldest);
      else if (made.length >= resident) await this.#nextRelease();
      else break;
    }
    if (availableMemory() < needed) throw noMemory();
  }

  async #create(path: string): Promise<LlamaContext> {
    try {
      return await createContext(this.#options, path);
    } catch (error) {
      throw error instanceof InsufficientMemoryError ? noMemory(error) : error;
    }
  }

  async #dispose(entry: Entry): Promise<void> {
    this.#forget(entry);
    await entry.pool?.context.dispose();
    await freeAdapter(this.#options.loaded.model, entry.path);
  }

  #nextRelease(): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.#released.delete(wake);
        resolve();
      };
      this.#released.add(wake);
    });
  }
}

const noMemory = (cause?: unknown): Unavailable =>
  new Unavailable('Not enough memory for another adapter at the moment.', {
    retryAfter: 5,
    cause,
  });

function unlessAborted<Result>(promise: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}

async function createContext(
  { loaded, parallel }: ContextOptions,
  adapterPath?: string,
): Promise<LlamaContext> {
  return loaded.model.createContext({
    contextSize: loaded.contextLength,
    sequences: parallel,
    ...(adapterPath ? { lora: { adapters: [{ filePath: adapterPath }] } } : {}),
  });
}

import { InsufficientMemoryError, type LlamaContext } from 'node-llama-cpp';
import { Unavailable } from '../../../contracts/problems.ts';
import type { LoadedModel } from './model/load-model.ts';
import { checkContextMemory } from './model/memory.ts';
import { freeAdapter } from './native.ts';
import { SlotQueue } from './sequences/slot-queue.ts';

export interface ContextOptions {
  loaded: LoadedModel;
  parallel: number;
  /** Adapters' contexts held at once. */
  resident: number;
  /** Bytes that may still be taken; a test passes its own. */
  availableMemory?: () => number;
}

interface Resident {
  queue: SlotQueue;
  path: string;
  users: number;
  lastUsed: number;
}

/** Left for everything else when a context is made. */
const memoryReserve = 256 * 1024 * 1024;

/**
 * A context for the model alone, and one for each adapter that is in use: made when first asked for, and the one
 * longest unused dropped for it where there are too many or memory is short.
 */
export class Contexts {
  readonly base: SlotQueue;
  readonly #options: ContextOptions;
  readonly #resident = new Map<string, Promise<Resident>>();
  readonly #settled = new Map<string, Resident>();
  readonly #released = new Set<() => void>();
  #making: Promise<unknown> = Promise.resolve();
  #uses = 0;

  private constructor(options: ContextOptions, base: SlotQueue) {
    this.#options = options;
    this.base = base;
  }

  static async create(options: ContextOptions): Promise<Contexts> {
    const { loaded, parallel, availableMemory = process.availableMemory } = options;
    checkContextMemory(loaded.model, loaded.contextLength, parallel, availableMemory());
    return new Contexts(options, new SlotQueue(await createContext(options)));
  }

  get queues(): SlotQueue[] {
    return [this.base, ...[...this.#settled.values()].map((resident) => resident.queue)];
  }

  /** Runs `work` with the adapter's context, which stays at least until it is done. */
  async withAdapter<Result>(
    path: string,
    signal: AbortSignal,
    work: (queue: SlotQueue) => Promise<Result>,
  ): Promise<Result> {
    const resident = await this.#acquire(path, signal);
    try {
      return await work(resident.queue);
    } finally {
      resident.users--;
      resident.lastUsed = ++this.#uses;
      for (const wake of this.#released) wake();
    }
  }

  /** Frees an adapter's context and weights, after the last use of it. */
  async drop(path: string): Promise<void> {
    const resident = await this.#resident.get(path)?.catch(() => undefined);
    if (!resident) return;
    while (resident.users > 0) await this.#nextRelease();
    await this.#dispose(resident);
  }

  async dispose(): Promise<void> {
    for (const queue of this.queues) await queue.context.dispose();
    this.#resident.clear();
    this.#settled.clear();
  }

  async #acquire(path: string, signal: AbortSignal): Promise<Resident> {
    while (true) {
      signal.throwIfAborted();
      const present = this.#settled.get(path);
      if (present) {
        present.users++;
        return present;
      }
      await (this.#resident.get(path) ?? this.#make(path, signal));
    }
  }

  #make(path: string, signal: AbortSignal): Promise<Resident> {
    const made = this.#making.then(async () => {
      await this.#makeRoom(signal);
      const queue = new SlotQueue(await this.#create(path));
      const resident = { queue, path, users: 0, lastUsed: ++this.#uses };
      this.#settled.set(path, resident);
      return resident;
    });
    this.#resident.set(path, made);
    this.#making = made.catch(() => this.#resident.delete(path));
    return made;
  }

  async #makeRoom(signal: AbortSignal): Promise<void> {
    const { resident, availableMemory = process.availableMemory } = this.#options;
    const needed = this.base.context.memoryUsage.ram + memoryReserve;
    while (this.#settled.size >= resident || (this.#settled.size > 0 && availableMemory() < needed)) {
      signal.throwIfAborted();
      const idle = [...this.#settled.values()].filter(({ users }) => users === 0);
      const oldest = idle.sort((a, b) => a.lastUsed - b.lastUsed)[0];
      if (oldest) await this.#dispose(oldest);
      else if (this.#settled.size >= resident) await this.#nextRelease(signal);
      else return;
    }
  }

  async #create(path: string): Promise<LlamaContext> {
    try {
      return await createContext(this.#options, path);
    } catch (error) {
      if (error instanceof InsufficientMemoryError)
        throw new Unavailable('There is not enough memory for one more adapter at this moment.', {
          retryAfter: 5,
          cause: error,
        });
      throw error;
    }
  }

  async #dispose(resident: Resident): Promise<void> {
    this.#settled.delete(resident.path);
    this.#resident.delete(resident.path);
    await resident.queue.context.dispose();
    await freeAdapter(this.#options.loaded.model, resident.path);
  }

  #nextRelease(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.#released.delete(wake);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      this.#released.add(wake);
      signal?.addEventListener('abort', wake, { once: true });
    });
  }
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

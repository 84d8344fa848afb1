import { Worker } from 'node:worker_threads';

/** What can be asked of a thread. */
interface Orders {
  /** Descriptors of open files: `data`, and `log` that counts it. The file is there up to `front`. */
  open(order: { data: number; log: number; algorithm: string; prefix: string; front: number }): void;
  /** Writes bytes, then what counts them. */
  write(order: { bytes: Uint8Array; position: number; counts: Uint8Array; place: number }): void;
  /** Hashes bytes that come next from memory; others are read back once the file is there up to them. */
  hash(order: { bytes: Uint8Array; position: number; front: number }): void;
  /** Once the whole file is there. */
  digest(order: { size: number }): string;
  close(order: Record<string, never>): void;
}

interface Answer {
  id: number;
  result?: unknown;
  error?: { message: string; code?: string };
}

/**
 * A thread that writes and one that hashes the same memory: together they keep up with what one connection brings, and
 * what is served beside a download waits neither for a slow disk nor for a hash.
 */
export class Disk {
  readonly writer = new DiskThread();
  readonly hasher = new DiskThread();

  async close(): Promise<void> {
    await Promise.all([this.writer.close(), this.hasher.close()]);
  }
}

class DiskThread {
  readonly #thread = new Worker(new URL('./disk-thread.mjs', import.meta.url));
  readonly #calls = new Map<number, PromiseWithResolvers<unknown>>();
  #next = 0;

  constructor() {
    this.#thread.on('message', ({ id, result, error }: Answer) => {
      const call = this.#calls.get(id);
      this.#calls.delete(id);
      if (error) call?.reject(Object.assign(new Error(error.message), { code: error.code }));
      else call?.resolve(result);
    });
    this.#thread.once('error', (error) => this.#fail(error));
    this.#thread.once('exit', () => this.#fail(new Error('the thread has ended')));
  }

  /** Calls are answered in the order they are made. */
  call<Name extends keyof Orders>(
    name: Name,
    order: Parameters<Orders[Name]>[0],
  ): Promise<ReturnType<Orders[Name]>> {
    const call = Promise.withResolvers<unknown>();
    const id = this.#next++;
    this.#calls.set(id, call);
    this.#thread.postMessage({ id, name, order });
    return call.promise as Promise<ReturnType<Orders[Name]>>;
  }

  async close(): Promise<void> {
    await this.#thread.terminate();
  }

  #fail(error: Error): void {
    for (const call of this.#calls.values()) call.reject(error);
    this.#calls.clear();
  }
}

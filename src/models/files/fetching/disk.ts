import { Worker } from 'node:worker_threads';

/** The calls that a thread answers. */
interface Orders {
  /** Descriptors of two open files: `data`, and the `log` that counts it. The data is complete up to `front`. */
  open(order: { data: number; log: number; algorithm: string; prefix: string; front: number }): void;
  /** Writes bytes, then their count. */
  write(order: { bytes: Uint8Array; position: number; counts: Uint8Array; place: number }): void;
  /** Hashes the next bytes of the file from memory; others are read back once the file is complete up to them. */
  hash(order: { bytes: Uint8Array; position: number; front: number }): void;
  /** Called once the file is complete. */
  digest(order: { size: number }): string;
  close(order: Record<string, never>): void;
}

interface Answer {
  id: number;
  result?: unknown;
  error?: { message: string; code?: string };
}

/**
 * One thread writes and one hashes the same memory. Together they keep up with a fast connection, and requests that are
 * served during a download wait neither for the disk nor for the hash.
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

  /** Calls are answered in order. */
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

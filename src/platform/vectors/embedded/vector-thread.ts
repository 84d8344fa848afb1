import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { InternalFault, Unavailable } from '../../../contracts/problems.ts';
import type { Logger } from '../../telemetry/logger.ts';
import {
  type CallMessage,
  problemOf,
  type ThreadCalls,
  type ThreadMessage,
  type ThreadSettings,
} from './thread-messages.ts';

interface Pending {
  message: CallMessage;
  /** How many threads have ended while they ran this call. */
  losses: number;
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** Every call can be repeated, but one that ends the thread each time must not do so forever. */
const MOST_LOSSES = 2;

/** Runs calls in a thread of its own, which starts on the first call. If it dies, a new one repeats the calls. */
export class VectorThread {
  readonly #settings: ThreadSettings;
  readonly #logger: Logger;
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | undefined;
  #closed = false;
  #next = 0;

  constructor(settings: ThreadSettings, logger: Logger) {
    this.#settings = settings;
    this.#logger = logger;
  }

  call<Call extends keyof ThreadCalls>(
    call: Call,
    ...args: Parameters<ThreadCalls[Call]>
  ): Promise<ReturnType<ThreadCalls[Call]>> {
    if (this.#closed) return Promise.reject(new Unavailable('the vector store is closed'));
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const message = { id: this.#next++, call, args };
    this.#post({ message, losses: 0, resolve, reject });
    return promise as Promise<ReturnType<ThreadCalls[Call]>>;
  }

  /** Waits for running calls. */
  async close(): Promise<void> {
    this.#closed = true;
    const worker = this.#worker;
    if (!worker) return;
    worker.ref();
    worker.postMessage('close');
    await once(worker, 'exit');
  }

  #post(pending: Pending): void {
    const worker = this.#worker ?? this.#start();
    this.#pending.set(pending.message.id, pending);
    worker.ref();
    worker.postMessage(pending.message);
  }

  #start(): Worker {
    const worker = new Worker(new URL('./vector-worker.ts', import.meta.url), { workerData: this.#settings });
    worker.on('message', (message: ThreadMessage) => this.#receive(worker, message));
    let reason = 'it ended by itself';
    worker.on('error', (error) => {
      reason = error.message;
    });
    worker.on('exit', () => this.#lost(worker, reason));
    this.#worker = worker;
    return worker;
  }

  #receive(worker: Worker, message: ThreadMessage): void {
    if ('damaged' in message) {
      const { damaged: collection, reason } = message;
      this.#logger.error({ collection, reason }, 'a damaged vector collection was removed');
      return;
    }
    const pending = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    // An idle thread must not keep the process alive.
    if (this.#pending.size === 0) worker.unref();
    if ('failure' in message) pending?.reject(problemOf(message.failure));
    else pending?.resolve(message.result);
  }

  #lost(worker: Worker, reason: string): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    const calls = [...this.#pending.values()];
    this.#pending.clear();
    if (!this.#closed) this.#logger.error({ reason }, 'the thread of the vector store ended');
    for (const pending of calls) {
      pending.losses++;
      if (this.#closed) pending.reject(new Unavailable('the vector store is closed'));
      else if (pending.losses < MOST_LOSSES) this.#post(pending);
      else pending.reject(new InternalFault('the vector store failed', { cause: new Error(reason) }));
    }
  }
}

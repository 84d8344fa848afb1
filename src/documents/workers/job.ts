import { Unreadable } from '../unreadable.ts';
import type { FromWorker } from './messages.ts';
import { window } from './messages.ts';
import type { WorkerProcess } from './worker-process.ts';

export interface JobOptions {
  /** Jobs of one request share an owner; owners take turns. */
  owner?: unknown;
  signal?: AbortSignal;
}

interface JobLimits {
  timeLimit: number;
  mostOutput: number;
}

/** One task, from its place in the queue to its last piece. */
export class Job {
  readonly #task: string;
  readonly #input: unknown;
  readonly #limits: JobLimits;
  readonly #signal: AbortSignal | undefined;
  readonly #pieces: Buffer[] = [];
  #worker: WorkerProcess | undefined;
  #end: { result: unknown } | { error: unknown } | undefined;
  #wake: () => void = () => {};
  #leave: ((reusable: boolean) => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #timeLeft: number;
  #startedAt = 0;
  #unread = 0;

  constructor(task: string, input: unknown, limits: JobLimits, signal: AbortSignal | undefined) {
    this.#task = task;
    this.#input = input;
    this.#limits = limits;
    this.#signal = signal;
    this.#timeLeft = limits.timeLimit;
  }

  /** Resolves when the worker is free; false if it can't be used again. */
  runOn(worker: WorkerProcess): Promise<boolean> {
    if (this.#end) return Promise.resolve(true);
    return new Promise((resolve) => {
      this.#worker = worker;
      this.#leave = resolve;
      worker.onMessage = (message) => this.#receive(message, worker);
      worker.onEnd = (error) => this.#finish({ error }, false);
      this.#resumeClock();
      worker.send({ type: 'run', task: this.#task, input: this.#input, mostOutput: this.#limits.mostOutput });
    });
  }

  async *pieces(): AsyncGenerator<Buffer, unknown> {
    const abort = () => this.#fail(this.#signal?.reason);
    this.#signal?.addEventListener('abort', abort, { once: true });
    if (this.#signal?.aborted) abort();
    try {
      for (;;) {
        const piece = this.#pieces.shift();
        if (piece) {
          this.#taken();
          yield piece;
        } else if (this.#end) {
          if ('error' in this.#end) throw this.#end.error;
          return this.#end.result;
        } else {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        }
      }
    } finally {
      this.#signal?.removeEventListener('abort', abort);
    }
  }

  /** For a consumer that has left. */
  stop(): void {
    if (!this.#end) this.#fail(new Error('nobody waits for this job'));
  }

  #receive(message: FromWorker, worker: WorkerProcess): void {
    if (message.type === 'piece') {
      this.#pieces.push(Buffer.from(message.items));
      this.#unread++;
      // A worker that waits for a slow reader does not use up its time.
      if (this.#unread >= window) this.#pauseClock();
      this.#wake();
    } else if (message.type === 'done') {
      worker.memory = message.memory;
      this.#finish({ result: message.result }, true);
    } else {
      const cause = message.detail === undefined ? undefined : new Error(message.detail);
      this.#finish({ error: new Unreadable(message.reason, message.message, { cause }) }, true);
    }
  }

  #taken(): void {
    this.#unread--;
    if (this.#end) return;
    this.#worker?.send({ type: 'more' });
    this.#resumeClock();
  }

  #fail(error: unknown): void {
    // What has arrived is of no use any more.
    this.#pieces.length = 0;
    this.#finish({ error }, false);
  }

  #finish(end: { result: unknown } | { error: unknown }, reusable: boolean): void {
    if (this.#end) return;
    this.#end = end;
    this.#pauseClock();
    if (!reusable) this.#worker?.kill();
    this.#leave?.(reusable);
    this.#wake();
  }

  #resumeClock(): void {
    if (this.#timer) return;
    this.#startedAt = performance.now();
    const seconds = Math.round(this.#limits.timeLimit / 100) / 10;
    this.#timer = setTimeout(
      () => this.#fail(new Unreadable('too slow', `Reading the file takes more than ${seconds} seconds.`)),
      this.#timeLeft,
    );
  }

  #pauseClock(): void {
    if (!this.#timer) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#timeLeft = Math.max(0, this.#timeLeft - (performance.now() - this.#startedAt));
  }
}

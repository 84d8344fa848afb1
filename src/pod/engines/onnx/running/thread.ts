import { isMainThread, parentPort, type Transferable, Worker, workerData } from 'node:worker_threads';
import { Unavailable } from '../../../../contracts/problems.ts';

interface Call {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

interface Answer {
  id: number;
  result?: unknown;
  error?: string;
}

/**
 * Calls functions in a separate thread, because running a model or tokenizing a long text would block this one. If
 * the thread crashes, its calls fail and the next call starts a new one.
 */
export class Thread<Request, Result> {
  readonly #script: URL;
  readonly #settings: unknown;
  readonly #calls = new Map<number, Call>();
  #worker: Worker | undefined;
  #closed = false;
  #next = 0;

  constructor(script: URL, settings: unknown) {
    this.#script = script;
    this.#settings = settings;
  }

  call(request: Request, transfer: Transferable[] = []): Promise<Result> {
    if (this.#closed) return Promise.reject(new Unavailable('The engine is closed.'));
    const worker = this.#worker ?? this.#start();
    const id = this.#next++;
    return new Promise<Result>((resolve, reject) => {
      this.#calls.set(id, { resolve: (value) => resolve(value as Result), reject });
      worker.postMessage({ id, request }, transfer);
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#worker?.terminate();
    this.#failAll(new Unavailable('The engine was closed.'));
  }

  #start(): Worker {
    const worker = new Worker(this.#script, { workerData: this.#settings });
    // An idle thread must not keep the process alive.
    worker.unref();
    worker.on('message', (answer: Answer) => {
      const call = this.#calls.get(answer.id);
      this.#calls.delete(answer.id);
      if (answer.error === undefined) call?.resolve(answer.result);
      else call?.reject(new Error(answer.error));
    });
    worker.on('error', (error) => this.#lost(worker, error));
    worker.on('exit', (code) => this.#lost(worker, new Error(`the thread exited with code ${code}`)));
    this.#worker = worker;
    return worker;
  }

  #lost(worker: Worker, cause: Error): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    if (!this.#closed)
      this.#failAll(new Unavailable(`The engine's thread failed: ${cause.message}`, { cause }));
  }

  #failAll(error: Error): void {
    const calls = [...this.#calls.values()];
    this.#calls.clear();
    for (const call of calls) call.reject(error);
  }
}

/**
 * The thread's side: `prepare` runs once with the settings, and the function it returns handles the calls one by one.
 */
export function serveThread<Settings, Request, Result>(
  prepare: (
    settings: Settings,
  ) => Promise<(request: Request) => Promise<{ result: Result; transfer?: Transferable[] }>>,
): void {
  if (isMainThread || parentPort === null) throw new Error('This file must run in a worker thread.');
  const port = parentPort;
  const ready = prepare(workerData as Settings);
  // If `prepare` fails, every call reports the error.
  ready.catch(() => {});
  let turn: Promise<unknown> = ready.catch(() => {});
  port.on('message', ({ id, request }: { id: number; request: Request }) => {
    turn = turn.then(async () => {
      try {
        const answer = await (await ready)(request);
        port.postMessage({ id, result: answer.result } satisfies Answer, answer.transfer ?? []);
      } catch (error) {
        port.postMessage({
          id,
          error: error instanceof Error ? error.message : String(error),
        } satisfies Answer);
      }
    });
  });
}

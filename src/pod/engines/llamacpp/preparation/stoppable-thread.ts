import { Worker } from 'node:worker_threads';
import { BadRequest, Unavailable } from '../../../../contracts/problems.ts';

export type ThreadAnswer =
  | { kind: 'result'; result: unknown }
  | { kind: 'refusal'; message: string; code: string; param: string | undefined }
  | { kind: 'fault'; message: string };

interface Job {
  request: unknown;
  settle(answer: ThreadAnswer): void;
  fail(error: unknown): void;
}

const maxWaiting = 64;
const maxMegabytes = 512;

/**
 * Runs jobs in a thread, one at a time. A job that takes too long, uses too much memory or is aborted is stopped by
 * terminating the thread; the next job starts a new one.
 */
export class StoppableThread<Request, Result> {
  readonly #script: URL;
  readonly #settings: unknown;
  readonly #limit: number;
  readonly #waiting: Job[] = [];
  #running: Job | undefined;
  #timer: NodeJS.Timeout | undefined;
  #worker: Worker | undefined;
  #closed = false;

  constructor(script: URL, settings: unknown, limit: number) {
    this.#script = script;
    this.#settings = settings;
    this.#limit = limit;
  }

  run(request: Request, signal?: AbortSignal): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      if (this.#closed) return reject(new Unavailable('The model is being unloaded.'));
      if (signal?.aborted) return reject(signal.reason);
      if (this.#waiting.length >= maxWaiting)
        return reject(
          new Unavailable('Too many large requests are being prepared at the moment.', { retryAfter: 1 }),
        );
      const leave = () => this.#drop(job, signal?.reason);
      const done = () => signal?.removeEventListener('abort', leave);
      const job: Job = {
        request,
        settle: (answer) => {
          done();
          if (answer.kind === 'result') resolve(answer.result as Result);
          else reject(asError(answer));
        },
        fail: (error) => {
          done();
          reject(error);
        },
      };
      signal?.addEventListener('abort', leave, { once: true });
      this.#waiting.push(job);
      this.#next();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    const jobs = [...(this.#running ? [this.#running] : []), ...this.#waiting.splice(0)];
    this.#running = undefined;
    clearTimeout(this.#timer);
    for (const job of jobs) job.fail(new Unavailable('The model is being unloaded.'));
    await this.#worker?.terminate();
  }

  #next(): void {
    if (this.#running || this.#closed) return;
    this.#running = this.#waiting.shift();
    if (!this.#running) return;
    this.#timer = setTimeout(() => this.#stop(tooComplex('takes too long')), this.#limit);
    this.#worker ??= this.#start();
    this.#worker.postMessage(this.#running.request);
  }

  #start(): Worker {
    const worker = new Worker(this.#script, {
      workerData: this.#settings,
      resourceLimits: { maxOldGenerationSizeMb: maxMegabytes },
    });
    // An idle thread must not keep the process alive.
    worker.unref();
    worker.on('message', (answer: ThreadAnswer) => {
      if (this.#worker === worker) this.#finish((job) => job.settle(answer));
    });
    worker.on('error', (error: NodeJS.ErrnoException) => {
      const memory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      if (this.#worker === worker) this.#stop(memory ? tooComplex('needs too much memory') : error);
    });
    return worker;
  }

  /** Terminates the thread and the job running in it. */
  #stop(error: unknown): void {
    const worker = this.#worker;
    this.#worker = undefined;
    worker?.terminate();
    this.#finish((job) => job.fail(error));
  }

  #finish(settle: (job: Job) => void): void {
    clearTimeout(this.#timer);
    const job = this.#running;
    this.#running = undefined;
    if (job) settle(job);
    this.#next();
  }

  #drop(job: Job, reason: unknown): void {
    if (job === this.#running) {
      this.#stop(reason);
      return;
    }
    const index = this.#waiting.indexOf(job);
    if (index >= 0) this.#waiting.splice(index, 1);
    job.fail(reason);
  }
}

const tooComplex = (what: string) =>
  new BadRequest(`Preparing this request ${what}. Send fewer messages or a smaller schema.`, {
    code: 'request_too_complex',
  });

function asError(answer: Exclude<ThreadAnswer, { kind: 'result' }>): Error {
  if (answer.kind === 'fault') return new Error(answer.message);
  const { message, code, param } = answer;
  return new BadRequest(message, { code, ...(param === undefined ? {} : { param }) });
}

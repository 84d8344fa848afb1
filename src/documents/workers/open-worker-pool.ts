import { deserialize } from 'node:v8';
import { Unreadable } from '../unreadable.ts';
import { FairQueue } from './fair-queue.ts';
import { Job, type JobOptions } from './job.ts';
import { type WorkerLimits, WorkerProcess } from './worker-process.ts';

export interface PoolOptions extends WorkerLimits {
  workers: number;
  timeLimit: number;
  /** Bytes that one job may give back. */
  mostOutput: number;
}

export interface WorkerPool {
  /** Runs a task and gives its items as they come. Its end value is the generator's. */
  run<Item, Result = unknown>(
    task: string,
    input: unknown,
    options: JobOptions,
  ): AsyncGenerator<Item, Result>;
  /** The same without reading the items: pieces to be passed to another task, which reads them with `itemsOf`. */
  runRaw(task: string, input: unknown, options: JobOptions): AsyncGenerator<Buffer, unknown>;
  readonly size: number;
  close(): Promise<void>;
}

/** After so many jobs, or with this share of its memory in use, a worker is replaced. */
const mostJobs = 500;
const mostRest = 0.5;

/** The items of pieces that `runRaw` gave. */
export function* itemsOf<Item>(pieces: Iterable<Uint8Array>): Generator<Item> {
  for (const piece of pieces) {
    for (const item of deserialize(piece) as Uint8Array[]) yield deserialize(item) as Item;
  }
}

/** Processes that read documents. They start when there is work, and stay for the next. */
export function openWorkerPool(options: PoolOptions): WorkerPool {
  const queue = new FairQueue<Job>();
  const workers = new Set<WorkerProcess>();
  const idle: WorkerProcess[] = [];
  let closed = false;

  const startNext = () => {
    while (idle.length > 0 || workers.size < options.workers) {
      const job = queue.shift();
      if (!job) return;
      void give(idle.pop() ?? start(), job);
    }
  };

  const start = (): WorkerProcess => {
    const worker = new WorkerProcess(options);
    workers.add(worker);
    return worker;
  };

  const forget = (worker: WorkerProcess) => {
    workers.delete(worker);
    const place = idle.indexOf(worker);
    if (place >= 0) idle.splice(place, 1);
  };

  const give = async (worker: WorkerProcess, job: Job) => {
    worker.work();
    worker.jobs++;
    const reusable = await job.runOn(worker);
    worker.rest();
    worker.onMessage = () => {};
    worker.onEnd = () => forget(worker);
    const used = worker.jobs >= mostJobs || worker.memory > options.memory * mostRest;
    if (reusable && !used && !closed) idle.push(worker);
    else {
      forget(worker);
      worker.kill();
    }
    startNext();
  };

  async function* runRaw(
    task: string,
    input: unknown,
    jobOptions: JobOptions,
  ): AsyncGenerator<Buffer, unknown> {
    if (closed) throw new Unreadable('crashed', 'The service is shutting down.');
    const job = new Job(task, input, options, jobOptions.signal);
    const owner = jobOptions.owner ?? job;
    queue.push(owner, job);
    startNext();
    try {
      return yield* job.pieces();
    } finally {
      queue.remove(owner, job);
      job.stop();
    }
  }

  return {
    size: options.workers,
    runRaw,
    async *run<Item, Result>(
      task: string,
      input: unknown,
      jobOptions: JobOptions,
    ): AsyncGenerator<Item, Result> {
      const pieces = runRaw(task, input, jobOptions);
      try {
        let next = await pieces.next();
        for (; !next.done; next = await pieces.next()) yield* itemsOf<Item>([next.value]);
        return next.value as Result;
      } finally {
        await pieces.return(undefined);
      }
    },
    async close() {
      closed = true;
      const gone = [...workers].map((worker) => new Promise<void>((resolve) => worker.whenGone(resolve)));
      for (const worker of workers) {
        worker.work();
        worker.kill();
      }
      await Promise.all(gone);
    },
  };
}

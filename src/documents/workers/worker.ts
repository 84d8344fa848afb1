import { serialize } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { Unreadable } from '../unreadable.ts';
import { type FromWorker, pieceBytes, type ToWorker, window } from './messages.ts';
import type { Tasks } from './tasks.ts';

/** A process of the pool: `worker.ts <module with tasks> <bytes of memory> <process id of the pool>`. */
const [, , tasksModule = '', memory = '', parent = ''] = process.argv;
new Worker(new URL('./guard.ts', import.meta.url), {
  workerData: { parent: Number(parent), memory: Number(memory) },
}).unref();

const { tasks } = (await import(tasksModule)) as { tasks: Tasks };
let credit = window;
let credited: (() => void) | undefined;

process.on('disconnect', () => process.exit());
process.on('message', (message: ToWorker) => {
  if (message.type === 'more') {
    credit++;
    credited?.();
  } else void run(message);
});

async function run({ task, input, mostOutput }: Extract<ToWorker, { type: 'run' }>): Promise<void> {
  credit = window;
  try {
    const work = tasks.get(task);
    if (!work) throw new Error(`no task '${task}'`);
    const items = work(input as never);
    const output = new Output(mostOutput);
    let next = await items.next();
    for (; !next.done; next = await items.next()) await output.add(next.value);
    await output.flush();
    send({ type: 'done', result: next.value, memory: process.memoryUsage.rss() });
  } catch (error) {
    send(failure(error));
  }
}

/** Collects items to pieces. They are serialised here, so that their size is known exactly. */
class Output {
  #items: Buffer[] = [];
  #size = 0;
  #left: number;
  readonly #most: number;

  constructor(most: number) {
    this.#left = most;
    this.#most = most;
  }

  async add(item: unknown): Promise<void> {
    const bytes = serialize(item);
    this.#left -= bytes.length;
    if (this.#left < 0) {
      throw new Unreadable('too large', `The result has more than ${Math.round(this.#most / 2 ** 20)} MiB.`);
    }
    this.#items.push(bytes);
    this.#size += bytes.length;
    if (this.#size >= pieceBytes) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.#items.length === 0) return;
    const items = serialize(this.#items);
    this.#items = [];
    this.#size = 0;
    while (credit <= 0) {
      await new Promise<void>((resolve) => {
        credited = resolve;
      });
    }
    credit--;
    send({ type: 'piece', items });
  }
}

function send(message: FromWorker): void {
  process.send?.(message);
}

function failure(error: unknown): FromWorker {
  const origin = error instanceof Unreadable ? error.cause : error;
  const detail = origin instanceof Error ? origin.stack : origin === undefined ? undefined : String(origin);
  if (error instanceof Unreadable)
    return { type: 'failed', reason: error.reason, message: error.message, detail };
  if (
    error instanceof RangeError &&
    /string length|longer than|array length|allocation/i.test(error.message)
  ) {
    return { type: 'failed', reason: 'too large', message: 'The file is too large to be read.', detail };
  }
  return { type: 'failed', reason: 'invalid', message: 'The file is damaged: it can’t be read.', detail };
}

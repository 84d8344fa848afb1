import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { processEnvironment } from '../../platform/config/environment.ts';
import { signalGroup } from '../../platform/processes/process-group.ts';
import { Unreadable } from '../unreadable.ts';
import { type FromWorker, memorySignal, type ToWorker } from './messages.ts';

export interface WorkerLimits {
  /** Module that exports `tasks`. */
  tasks: string;
  memory: number;
}

const keptErrors = 4_000;
/**
 * By default glibc keeps freed memory for each thread. Pictures of pages are large and soon gone, so one area and large
 * blocks that go back to the system at once save a fifth of a worker's memory.
 */
const tightMemory = { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '1048576' };

/** One process of the pool. */
export class WorkerProcess {
  jobs = 0;
  /** Bytes in memory after the last job. */
  memory = 0;
  onMessage: (message: FromWorker) => void = () => {};
  /** Called once, when the process is gone. */
  onEnd: (error: Unreadable) => void = () => {};
  readonly #child: ChildProcess;
  #errors = '';
  #gone = false;

  constructor({ tasks, memory }: WorkerLimits) {
    const file = fileURLToPath(new URL('./worker.ts', import.meta.url));
    this.#child = fork(file, [tasks, String(memory), String(process.pid)], {
      // The limit of the heap lies below that of the process, so that code with a leak ends before the machine feels it.
      execArgv: [`--max-old-space-size=${Math.max(64, Math.floor((memory / 2 ** 20) * 0.8))}`],
      env: { ...processEnvironment(), ...tightMemory },
      // A group of its own: what a parser starts ends with it.
      detached: true,
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#child.stderr?.on('data', (chunk: Buffer) => {
      this.#errors = (this.#errors + chunk.toString()).slice(-keptErrors);
    });
    this.#child.on('message', (message: FromWorker) => this.onMessage(message));
    this.#child.on('error', () => {});
    this.#child.once('close', (code, signal) => {
      this.#gone = true;
      this.onEnd(this.#endOf(code, signal, memory));
    });
    this.rest();
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  send(message: ToWorker): void {
    if (this.#child.connected) this.#child.send(message, () => {});
  }

  whenGone(then: () => void): void {
    if (this.#gone) then();
    else this.#child.once('close', then);
  }

  /** An idle worker does not keep the platform's process alive. */
  rest(): void {
    this.#child.unref();
    this.#child.channel?.unref();
    (this.#child.stderr as unknown as { unref(): void } | null)?.unref();
  }

  work(): void {
    this.#child.ref();
    this.#child.channel?.ref();
  }

  /** Stops it at once, in whatever it does. */
  kill(): void {
    if (this.#child.pid !== undefined && this.#child.exitCode === null)
      signalGroup(this.#child.pid, 'SIGKILL');
  }

  #endOf(code: number | null, signal: NodeJS.Signals | null, memory: number): Unreadable {
    const cause = new Error(`worker ended: ${signal ?? `code ${code}`} ${this.#errors.trim()}`.trim());
    const outOfMemory =
      signal === memorySignal ||
      signal === 'SIGABRT' ||
      code === 134 ||
      /heap out of memory/.test(this.#errors);
    if (!outOfMemory) return new Unreadable('crashed', 'The file made its reader crash.', { cause });
    const limit = Math.round(memory / 2 ** 20);
    return new Unreadable('too large', `Reading the file takes more than ${limit} MiB of memory.`, { cause });
  }
}

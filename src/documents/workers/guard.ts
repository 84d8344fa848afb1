import { workerData } from 'node:worker_threads';
import { memorySignal } from './messages.ts';

/**
 * A thread beside a worker's own, which may be busy for minutes in a parser: ends the process, and what it has started,
 * as soon as it has too much memory or its parent is gone.
 */
const { parent, memory } = workerData as { parent: number; memory: number };
const pause = new Int32Array(new SharedArrayBuffer(4));

for (;;) {
  Atomics.wait(pause, 0, 0, 20);
  if (process.memoryUsage.rss() > memory) process.kill(-process.pid, memorySignal);
  if (process.ppid !== parent) process.kill(-process.pid, 'SIGKILL');
}

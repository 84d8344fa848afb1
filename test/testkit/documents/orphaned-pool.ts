// A process with a busy worker, for a test that kills it. It prints the worker's process id.
import { openWorkerPool } from '../../../src/documents/workers/open-worker-pool.ts';

const pool = openWorkerPool({
  tasks: new URL('./worker-tasks.ts', import.meta.url).href,
  workers: 1,
  memory: 2 ** 29,
  timeLimit: 600_000,
  mostOutput: 2 ** 30,
});
for await (const pid of pool.run<number>('spin', {}, {})) console.log(pid);

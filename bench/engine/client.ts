import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Answered, Asked } from './client-thread.ts';

export interface Client {
  ask(asked: Asked): Promise<Answered>;
  close(): Promise<unknown>;
}

export function startClient(): Client {
  const worker = new Worker(new URL('./client-thread.ts', import.meta.url));
  return {
    async ask(asked) {
      worker.postMessage(asked);
      const [answered] = await once(worker, 'message');
      return answered as Answered;
    },
    close: () => worker.terminate(),
  };
}

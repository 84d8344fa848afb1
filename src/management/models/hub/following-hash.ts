import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { Worker } from 'node:worker_threads';
import type { FileHash } from './hub-client.ts';

/** The hash of a file that is still being written. */
export interface FollowingHash {
  /** The file is there up to this byte. */
  follow(front: number): void;
  /** Once `follow` was told of the whole size. */
  hex(): Promise<string>;
  close(): Promise<void>;
}

/** Up to this size a thread costs more than it saves. */
const smallFile = 8 * 2 ** 20;

export function followHash(path: string, size: number, { algorithm }: FileHash): FollowingHash {
  const plan = {
    path,
    size,
    algorithm: algorithm === 'sha256' ? 'sha256' : 'sha1',
    // What git hashes before the content.
    prefix: algorithm === 'sha256' ? '' : `blob ${size}\0`,
  };
  return size <= smallFile ? hashAtTheEnd(plan) : hashInThread(plan);
}

interface HashPlan {
  path: string;
  size: number;
  algorithm: string;
  prefix: string;
}

function hashAtTheEnd({ path, algorithm, prefix }: HashPlan): FollowingHash {
  return {
    follow() {},
    async hex() {
      const hash = createHash(algorithm).update(prefix);
      await pipeline(createReadStream(path), hash);
      return hash.digest('hex');
    },
    async close() {},
  };
}

function hashInThread(plan: HashPlan): FollowingHash {
  const worker = new Worker(new URL('./hash-thread.ts', import.meta.url), { workerData: plan });
  const answer = once(worker, 'message').then(([hex]) => hex as string);
  answer.catch(() => {});
  return {
    follow: (front) => worker.postMessage(front),
    hex: () => answer,
    async close() {
      await worker.terminate();
    },
  };
}

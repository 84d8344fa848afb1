import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';

/**
 * Hashes a file while it arrives: told how far it is there, it reads up to that point. By the time the last byte has
 * come nearly all is hashed, and the thread that serves requests has not been held up.
 */
const { path, algorithm, prefix, size } = workerData as {
  path: string;
  algorithm: string;
  prefix: string;
  size: number;
};
const hash = createHash(algorithm);
hash.update(prefix);
const file = openSync(path, 'r');
const buffer = Buffer.allocUnsafe(2 ** 20);
let position = 0;

function hashUpTo(end: number): void {
  while (position < end) {
    const count = readSync(file, buffer, 0, Math.min(buffer.length, end - position), position);
    if (count === 0) break;
    hash.update(buffer.subarray(0, count));
    position += count;
  }
}

let ended = false;
parentPort?.on('message', (front: number) => {
  // Segments that end out of order tell the same front more than once.
  if (ended) return;
  hashUpTo(front);
  if (front < size) return;
  ended = true;
  closeSync(file);
  parentPort?.postMessage(hash.digest('hex'));
  parentPort?.close();
});

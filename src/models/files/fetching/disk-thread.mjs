// Plain JavaScript: to strip types, a thread would load a compiler of its own, 60 ms and 17 MB each time.
import { createHash } from 'node:crypto';
import { readSync, writeSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parentPort } from 'node:worker_threads';

/** Larger strokes were slower: likely the kernel takes larger pages for them, which it must find first. */
const strokeBytes = 2 ** 18;
/** The file at hand: `hashed` and `front` are how far it has been hashed, and how far it is here. */
let file;

/** What `disk.ts` calls, by name. */
const orders = {
  open({ data, log, algorithm, prefix, front }) {
    file = { data, log, front, hashed: 0, hash: createHash(algorithm).update(prefix) };
  },

  write({ bytes, position, counts, place }) {
    // One failed: what comes after it must not be counted.
    if (file.failure) throw file.failure;
    try {
      writeWhole(file.data, bytes, position);
      // After the bytes: whatever kills the process, none is counted that is not there.
      writeWhole(file.log, counts, place);
    } catch (error) {
      file.failure = error;
      throw error;
    }
  },

  hash({ bytes, position, front }) {
    if (position === file.hashed) hashOn(file, bytes);
    file.front = Math.max(front, file.hashed);
    void readBack(file);
  },

  async digest({ size }) {
    file.front = size;
    while (file.hashed < size) await readBack(file);
    return file.hash.digest('hex');
  },

  close() {
    file = undefined;
  },
};

function writeWhole(fd, bytes, position) {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(fd, bytes, done, Math.min(strokeBytes, bytes.length - done), position + done);
  }
}

function hashOn(of, bytes) {
  of.hash.update(bytes);
  of.hashed += bytes.length;
}

/** What came out of order, or before a restart, is hashed later: a slice at a time, so that nothing waits for it. */
async function readBack(of) {
  if (of.readingBack) return nextTurn();
  of.readingBack = true;
  while (of === file && of.hashed < of.front) {
    of.slice ??= Buffer.allocUnsafeSlow(strokeBytes);
    const count = readSync(of.data, of.slice, 0, Math.min(strokeBytes, of.front - of.hashed), of.hashed);
    if (count > 0) hashOn(of, of.slice.subarray(0, count));
    // Somebody has cut it short: then its hash is not the right one.
    else of.hashed = of.front;
    await nextTurn();
  }
  of.readingBack = false;
}

parentPort.on('message', async ({ id, name, order }) => {
  try {
    parentPort.postMessage({ id, result: await orders[name](order) });
  } catch ({ message, code }) {
    // Cloned, an error loses its code.
    parentPort.postMessage({ id, error: { message, code } });
  }
});

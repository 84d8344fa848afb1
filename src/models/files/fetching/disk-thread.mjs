// Plain JavaScript: to strip types, each thread would load its own compiler (60 ms and 17 MB).
import { createHash } from 'node:crypto';
import { readSync, writeSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parentPort } from 'node:worker_threads';

/** Larger writes were slower, probably because the kernel then looks for larger pages. */
const writeBytes = 2 ** 18;
/** The current file: `hashed` is how far it has been hashed, `front` how far it is complete. */
let file;

/** The calls of `disk.ts`, by name. */
const orders = {
  open({ data, log, algorithm, prefix, front }) {
    file = { data, log, front, hashed: 0, hash: createHash(algorithm).update(prefix) };
  },

  write({ bytes, position, counts, place }) {
    // After a failed write nothing may be counted.
    if (file.failure) throw file.failure;
    try {
      writeWhole(file.data, bytes, position);
      // After the bytes, so that a kill at any time leaves no byte counted that is not there.
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
    done += writeSync(fd, bytes, done, Math.min(writeBytes, bytes.length - done), position + done);
  }
}

function hashOn(of, bytes) {
  of.hash.update(bytes);
  of.hashed += bytes.length;
}

/** Hashes what arrived out of order or before a restart, one slice per turn, so that no call waits for long. */
async function readBack(of) {
  if (of.readingBack) return nextTurn();
  of.readingBack = true;
  while (of === file && of.hashed < of.front) {
    of.slice ??= Buffer.allocUnsafeSlow(writeBytes);
    const count = readSync(of.data, of.slice, 0, Math.min(writeBytes, of.front - of.hashed), of.hashed);
    if (count > 0) hashOn(of, of.slice.subarray(0, count));
    // The file was truncated meanwhile; its hash will then be wrong.
    else of.hashed = of.front;
    await nextTurn();
  }
  of.readingBack = false;
}

parentPort.on('message', async ({ id, name, order }) => {
  try {
    parentPort.postMessage({ id, result: await orders[name](order) });
  } catch ({ message, code }) {
    // A cloned error would lose its code.
    parentPort.postMessage({ id, error: { message, code } });
  }
});

import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { BadRequest } from '../../contracts/problems.ts';
import type { BlobContent, ByteRange, StoredBlob } from './blob-store.ts';

export interface ContentReader extends AsyncIterable<Uint8Array> {
  /** Size and hash of what has been read. */
  summary(): StoredBlob;
}

/** Reads content in chunks, counts and hashes it, and stops immediately when aborted, even if the source hangs. */
export function readContent(content: BlobContent, signal?: AbortSignal): ContentReader {
  const hash = createHash('sha256');
  let size = 0;
  return {
    async *[Symbol.asyncIterator]() {
      for await (const chunk of interruptible(content, signal)) {
        // A stream with an encoding yields strings, which its type doesn't show.
        if (!(chunk instanceof Uint8Array)) throw new TypeError('blob content must be bytes, not text');
        if (chunk.byteLength === 0) continue;
        size += chunk.byteLength;
        hash.update(chunk);
        yield chunk;
      }
    },
    summary: () => ({ size, sha256: hash.copy().digest('hex') }),
  };
}

/** Uses one listener for all chunks: `Promise.race` with the signal would keep every chunk's promise in memory. */
async function* interruptible(content: BlobContent, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  const iterator =
    Symbol.asyncIterator in content ? content[Symbol.asyncIterator]() : content[Symbol.iterator]();
  let interrupt: (reason: unknown) => void = () => {};
  const onAbort = () => interrupt(signal?.reason);
  signal?.addEventListener('abort', onAbort);
  let ended = false;
  try {
    signal?.throwIfAborted();
    for (;;) {
      const result = await new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
        interrupt = reject;
        Promise.resolve(iterator.next()).then(resolve, reject);
      });
      ended = result.done === true;
      if (result.done) return;
      yield result.value;
      signal?.throwIfAborted();
    }
  } finally {
    signal?.removeEventListener('abort', onAbort);
    if (!ended) abandon(content, iterator);
  }
}

/** Does not await `return`: an iterator that hangs in `next`, such as a stream's, would never settle it. */
function abandon(content: BlobContent, iterator: AsyncIterator<Uint8Array> | Iterator<Uint8Array>): void {
  if (content instanceof Readable) content.destroy();
  Promise.resolve(iterator.return?.()).catch(() => {});
}

/** Resolves a range against the size of a blob. */
export function resolveRange(size: number, range: ByteRange | undefined): { start: number; length: number } {
  if (!range) return { start: 0, length: size };
  const end = Math.min(range.end ?? size - 1, size - 1);
  if (!Number.isInteger(range.start) || range.start < 0 || range.start >= size || end < range.start) {
    throw unsatisfiableRange(size);
  }
  return { start: range.start, length: end - range.start + 1 };
}

export function unsatisfiableRange(size: number): BadRequest {
  return new BadRequest(`The range is outside the file, which has ${size} bytes`, {
    code: 'range_not_satisfiable',
  });
}

import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { BadRequest } from '../../contracts/problems.ts';
import type { BlobContent, ByteRange, StoredBlob } from './blob-store.ts';

export interface ContentReader extends AsyncIterable<Uint8Array> {
  /** Size and hash of what was read. */
  summary(): StoredBlob;
}

/** Reads content piece by piece, measures it, and stops at once when aborted, even where the source is stuck. */
export function readContent(content: BlobContent, signal?: AbortSignal): ContentReader {
  const hash = createHash('sha256');
  let size = 0;
  return {
    async *[Symbol.asyncIterator]() {
      for await (const chunk of interruptible(content, signal)) {
        // A stream with an encoding yields text, and its type does not say so.
        if (!(chunk instanceof Uint8Array)) throw new TypeError('a blob is made of bytes, not of text');
        if (chunk.byteLength === 0) continue;
        size += chunk.byteLength;
        hash.update(chunk);
        yield chunk;
      }
    },
    summary: () => ({ size, sha256: hash.copy().digest('hex') }),
  };
}

/** One listener for the whole of it: `Promise.race` against the signal would hold on to every piece's promise. */
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

/** Not by awaiting `return`: an iterator stuck in `next` answers to nothing, and a stream's iterator is one of those. */
function abandon(content: BlobContent, iterator: AsyncIterator<Uint8Array> | Iterator<Uint8Array>): void {
  if (content instanceof Readable) content.destroy();
  Promise.resolve(iterator.return?.()).catch(() => {});
}

/** The bytes a range means of a blob of that size. */
export function resolveRange(size: number, range: ByteRange | undefined): { start: number; length: number } {
  if (!range) return { start: 0, length: size };
  const end = Math.min(range.end ?? size - 1, size - 1);
  if (!Number.isInteger(range.start) || range.start < 0 || range.start >= size || end < range.start) {
    throw unsatisfiableRange(size);
  }
  return { start: range.start, length: end - range.start + 1 };
}

export function unsatisfiableRange(size: number): BadRequest {
  return new BadRequest(`The range lies outside of the file, which has ${size} bytes`, {
    code: 'range_not_satisfiable',
  });
}

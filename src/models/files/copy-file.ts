import { constants, createReadStream, createWriteStream } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { OutOfSpace } from '../../contracts/problems.ts';

interface CopyWatch {
  signal: AbortSignal;
  /** Called with the bytes copied so far. */
  onProgress(done: number): void;
}

/** Clones the file where the file system can; otherwise copies it, and stops when aborted. */
export async function copyWatched(
  from: string,
  to: string,
  { signal, onProgress }: CopyWatch,
): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  try {
    await copyFile(from, to, constants.COPYFILE_FICLONE_FORCE);
    return;
  } catch {
    signal.throwIfAborted();
  }
  let done = 0;
  const count = new Transform({
    transform(chunk: Buffer, _encoding, next) {
      done += chunk.length;
      onProgress(done);
      next(null, chunk);
    },
  });
  const source = createReadStream(from, { highWaterMark: 2 ** 20 });
  await pipeline(source, count, createWriteStream(to), { signal }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOSPC') {
      throw new OutOfSpace(`the disk is full; ${to} could not be written`, { cause: error });
    }
    throw error;
  });
}

import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'undici';
import { OutOfSpace, Unavailable } from '../../contracts/problems.ts';
import { fetchOrFail, isTemporary, pause } from '../files/http-fetch.ts';

export interface Download {
  url: string;
  headers: Record<string, string>;
  /** Where the file ends up; until it is whole it is `<to>.partial`. */
  to: string;
  signal: AbortSignal;
  onProgress?: (done: number, total: number | undefined) => void;
}

/**
 * Fetches a file, going on where an earlier attempt stopped, this process's or another's, as long as the server
 * still has the same file. A connection cut in the middle is taken up again while each attempt brings something.
 */
export async function download(request: Download): Promise<void> {
  await mkdir(dirname(request.to), { recursive: true });
  const partial = `${request.to}.partial`;
  for (let attempt = 0; ; attempt++) {
    const before = await sizeOf(partial);
    try {
      await continueDownload(request, partial, before);
      await rename(partial, request.to);
      await rm(stateFile(partial), { force: true });
      return;
    } catch (error) {
      request.signal.throwIfAborted();
      const brought = (await sizeOf(partial)) > before;
      if (!isTemporary(error) || !brought) throw error;
      await pause(error, Math.min(attempt, 3), request.signal);
    }
  }
}

async function continueDownload(request: Download, partial: string, have: number): Promise<void> {
  const validator = have > 0 ? await knownValidator(partial, request.url) : undefined;
  const range = validator ? { range: `bytes=${have}-`, 'if-range': validator } : {};
  const response = await fetchOrFail(request.url, {
    headers: { ...request.headers, 'accept-encoding': 'identity', ...range },
    signal: request.signal,
  });
  const resumed = response.status === 206;
  const start = resumed ? have : 0;
  await rememberValidator(partial, request.url, response);
  const length = Number(response.headers.get('content-length')) || undefined;
  const total = length === undefined ? undefined : start + length;

  let done = start;
  request.onProgress?.(done, total);
  const count = new Transform({
    transform(chunk: Buffer, _encoding, next) {
      done += chunk.length;
      request.onProgress?.(done, total);
      next(null, chunk);
    },
  });
  try {
    const body = response.body ? Readable.fromWeb(response.body) : Readable.from([]);
    await pipeline(body, count, createWriteStream(partial, { flags: resumed ? 'a' : 'w' }), {
      signal: request.signal,
    });
  } catch (error) {
    request.signal.throwIfAborted();
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') {
      throw new OutOfSpace(`the disk is full; ${request.to} could not be written`, { cause: error });
    }
    throw new Unavailable(`the connection to ${new URL(request.url).host} was cut`, { cause: error });
  }
  if (total !== undefined && done < total) {
    throw new Unavailable(`the connection to ${new URL(request.url).host} ended early`);
  }
}

const stateFile = (partial: string) => `${partial}.json`;

/** What proves that the rest belongs to the part we have: only a strong ETag does. */
async function knownValidator(partial: string, url: string): Promise<string | undefined> {
  try {
    const state = JSON.parse(await readFile(stateFile(partial), 'utf8')) as { url: string; etag?: string };
    return state.url === url ? state.etag : undefined;
  } catch {
    return undefined;
  }
}

async function rememberValidator(partial: string, url: string, response: Response): Promise<void> {
  const etag = response.headers.get('etag') ?? undefined;
  const strong = etag && !etag.startsWith('W/') ? etag : (response.headers.get('last-modified') ?? undefined);
  await writeFile(stateFile(partial), JSON.stringify({ url, etag: strong }));
}

async function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    (found) => found.size,
    () => 0,
  );
}

export async function sha256Of(file: string, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file, { highWaterMark: 2 ** 20 }), hash, { ...(signal ? { signal } : {}) });
  return hash.digest('hex');
}

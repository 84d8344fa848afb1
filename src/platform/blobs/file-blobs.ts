import type { Dirent } from 'node:fs';
import { type FileHandle, open, opendir, stat, unlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { NotFound } from '../../contracts/problems.ts';
import { checkBlobKey, checkBlobPrefix, isBlobKey } from './blob-key.ts';
import type { BlobContent, BlobInfo, BlobStore, OpenBlob, StoredBlob } from './blob-store.ts';
import { makeFolder, placeFile, removeFile } from './durable-files.ts';
import { codeOf, fileProblem, isMissing } from './file-problems.ts';
import { incomingName, removeStaleFiles } from './incoming-files.ts';
import { readContent, resolveRange } from './read-content.ts';

const READ_SIZE = 256 * 1024;

/**
 * Stores blobs as plain files under `<folder>/objects`. New content is written to `<folder>/incoming`, on the same
 * file system, synced, and then renamed into place.
 */
export async function openFileBlobs(folder: string): Promise<BlobStore> {
  const root = resolve(folder);
  const objects = join(root, 'objects');
  const incoming = join(root, 'incoming');
  const pathOf = (key: string) => join(objects, key);

  function localPath(key: string): string {
    checkBlobKey(key);
    return pathOf(key);
  }

  async function put(key: string, content: BlobContent, { signal }: { signal?: AbortSignal } = {}) {
    checkBlobKey(key);
    const reader = readContent(content, signal);
    const temporary = join(incoming, incomingName());
    const file = await open(temporary, 'wx', 0o600).catch(rethrowFor(key));
    try {
      await writeAll(file, reader, key).finally(() => file.close());
      signal?.throwIfAborted();
      await placeFile(temporary, pathOf(key)).catch(rethrowFor(key));
    } catch (error) {
      await unlink(temporary).catch(() => {});
      throw error;
    }
    return reader.summary() satisfies StoredBlob;
  }

  async function get(
    key: string,
    { range, signal }: Parameters<BlobStore['get']>[1] = {},
  ): Promise<OpenBlob> {
    checkBlobKey(key);
    signal?.throwIfAborted();
    const file = await open(pathOf(key), 'r').catch((error) => {
      throw isMissing(error) ? new NotFound('file', key) : fileProblem(error, key);
    });
    try {
      const info = await file.stat();
      if (!info.isFile()) throw new NotFound('file', key);
      const { start, length } = resolveRange(info.size, range);
      const about = { size: info.size, modifiedAt: info.mtime, length };
      if (length === 0) {
        await file.close();
        return { ...about, body: Readable.from([]) };
      }
      const end = start + length - 1;
      return { ...about, body: file.createReadStream({ start, end, highWaterMark: READ_SIZE, signal }) };
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  async function head(key: string): Promise<BlobInfo | undefined> {
    checkBlobKey(key);
    try {
      const info = await stat(pathOf(key));
      return info.isFile() ? { key, size: info.size, modifiedAt: info.mtime } : undefined;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw fileProblem(error, key);
    }
  }

  async function remove(key: string): Promise<void> {
    checkBlobKey(key);
    if (!(await head(key))) return;
    await removeFile(pathOf(key), objects).catch((error) => {
      if (!isMissing(error)) throw fileProblem(error, key);
    });
  }

  async function* list(prefix: string): AsyncGenerator<BlobInfo> {
    checkBlobPrefix(prefix);
    const folderKey = prefix.slice(0, prefix.lastIndexOf('/') + 1);
    yield* walk(folderKey, prefix);
  }

  /** `parent` is empty or ends in a slash. */
  async function* walk(parent: string, prefix: string): AsyncGenerator<BlobInfo> {
    for await (const entry of entriesOf(pathOf(parent))) {
      const key = parent + entry.name;
      if (entry.isDirectory()) {
        if (`${key}/`.startsWith(prefix) || prefix.startsWith(`${key}/`)) yield* walk(`${key}/`, prefix);
      } else if (entry.isFile() && key.startsWith(prefix) && isBlobKey(key)) {
        const info = await head(key);
        if (info) yield info;
      }
    }
  }

  async function check(): Promise<void> {
    try {
      await makeFolder(objects);
      await makeFolder(incoming);
      const probe = join(incoming, incomingName());
      await (await open(probe, 'wx', 0o600)).close();
      await unlink(probe);
    } catch (error) {
      throw fileProblem(error, 'objects');
    }
  }

  await check();
  await removeStaleFiles(incoming);
  return { put, get, head, delete: remove, list, localPath, check, close: async () => {} };
}

/**
 * Writes each chunk while the next one is read and hashed. Errors of the source are the caller's and are rethrown
 * unchanged; errors of the disk are converted to problems.
 */
async function writeAll(file: FileHandle, content: AsyncIterable<Uint8Array>, key: string): Promise<void> {
  let writing = Promise.resolve();
  try {
    for await (const chunk of content) {
      await writing;
      writing = writePiece(file, chunk).catch(rethrowFor(key));
      // The next await sees the error; without this handler, a failing source would leave it unhandled.
      writing.catch(() => {});
    }
  } finally {
    await writing;
  }
  await file.sync().catch(rethrowFor(key));
}

async function writePiece(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let written = 0; written < chunk.byteLength; ) {
    written += (await file.write(chunk, written)).bytesWritten;
  }
}

async function* entriesOf(path: string): AsyncGenerator<Dirent> {
  try {
    yield* await opendir(path, { bufferSize: 256 });
  } catch (error) {
    if (!isMissing(error)) throw codeOf(error) ? fileProblem(error, '') : error;
  }
}

function rethrowFor(key: string): (error: unknown) => never {
  return (error) => {
    throw fileProblem(error, key);
  };
}

import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { BlobStore } from '../../../platform/blobs/blob-store.ts';
import { spoolPath } from '../../../platform/uploads/spool-folder.ts';

interface FileDependencies {
  blobs: Pick<BlobStore, 'get' | 'localPath'>;
  spoolFolder: string;
}

/** Gives a blob as a local file to `work`: its own where the store keeps files here, else a copy for that time. */
export async function withLocalFile<Result>(
  { blobs, spoolFolder }: FileDependencies,
  key: string,
  signal: AbortSignal,
  work: (path: string) => Promise<Result>,
): Promise<Result> {
  if (blobs.localPath) return work(blobs.localPath(key));
  const path = spoolPath(spoolFolder);
  try {
    const { body } = await blobs.get(key, { signal });
    await pipeline(body, createWriteStream(path, { flags: 'wx', mode: 0o600 }), { signal });
    return await work(path);
  } finally {
    await rm(path, { force: true });
  }
}

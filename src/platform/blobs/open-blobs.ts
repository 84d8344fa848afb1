import { fileURLToPath } from 'node:url';
import { Problem } from '../../contracts/problems.ts';
import { StartupError } from '../startup-error.ts';
import type { BlobStore } from './blob-store.ts';
import { openFileBlobs } from './file-blobs.ts';
import type { S3Settings } from './s3-blobs.ts';

export interface BlobSettings {
  /** `file:<folder>` or `s3://bucket/prefix`. */
  url: string;
  s3: S3Settings;
}

/** Opens the configured store; throws a `StartupError` if it can't be used. */
export async function openBlobs(settings: BlobSettings): Promise<BlobStore> {
  const open = opener(settings);
  let store: BlobStore | undefined;
  try {
    store = await open();
    await store.check();
    return store;
  } catch (error) {
    await store?.close();
    if (!(error instanceof Problem)) throw error;
    const cause = error.cause instanceof Error && error.cause.message ? ` (${error.cause.message})` : '';
    throw new StartupError(`${settings.url}: ${error.message}${cause}`, { cause: error });
  }
}

function opener({ url, s3 }: BlobSettings): () => Promise<BlobStore> {
  if (url.startsWith('file:')) {
    const folder = folderOf(url);
    return () => openFileBlobs(folder);
  }
  const match = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/+(.*?))?\/*$/.exec(url);
  if (!match) throw new StartupError(`blobs.url: expected file:<folder> or s3://bucket/prefix, got '${url}'`);
  const [, bucket = '', path = ''] = match;
  if (Buffer.byteLength(path) > 100) throw new StartupError('blobs.url: the prefix is longer than 100 bytes');
  // Loaded on demand: the S3 client takes 35 MB, a quarter of what an idle platform may use.
  return async () => (await import('./s3-blobs.ts')).openS3Blobs(bucket, path && `${path}/`, s3);
}

function folderOf(url: string): string {
  const folder = url.startsWith('file://') ? fileURLToPath(url) : url.slice('file:'.length);
  if (folder === '') throw new StartupError('blobs.url: file: must name a folder');
  return folder;
}

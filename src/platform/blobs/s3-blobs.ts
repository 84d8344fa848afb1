import { addAbortSignal, Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { NotFound } from '../../contracts/problems.ts';
import { checkBlobKey, checkBlobPrefix, isBlobKey } from './blob-key.ts';
import type { BlobContent, BlobInfo, BlobStore, ByteRange, OpenBlob } from './blob-store.ts';
import { readContent, resolveRange, unsatisfiableRange } from './read-content.ts';
import { isBadRange, isMissingObject, s3Problem, s3Silent } from './s3-problems.ts';

export interface S3Settings {
  endpoint?: string | undefined;
  region: string;
  access_key_id?: string | undefined;
  secret_access_key?: string | undefined;
  force_path_style: boolean;
}

/** Two parts are in memory at a time; with S3's limit of 10,000 parts, a blob can have 160 GB. */
const PART_SIZE = 16 * 1024 * 1024;
const PARTS_AT_ONCE = 2;

/** Each open blob uses a connection; with the default of 50, further reads would wait for the slowest one. */
const CONNECTIONS = 500;
/** Socket timeout in milliseconds; the client's default is to wait forever. */
const SILENCE = 60_000;
const CHECK_LIMIT = 5_000;

/** Stores blobs as objects `<prefix><key>` in a bucket. `prefix` is empty or ends with a slash. */
export async function openS3Blobs(bucket: string, prefix: string, settings: S3Settings): Promise<BlobStore> {
  const client = new S3Client(clientOptions(settings));
  const at = (key: string) => ({ Bucket: bucket, Key: prefix + key });
  const rethrow = (error: unknown): never => {
    throw s3Problem(error, bucket);
  };

  async function put(key: string, content: BlobContent, { signal }: { signal?: AbortSignal } = {}) {
    checkBlobKey(key);
    const reader = readContent(content, signal);
    // The signal makes the body fail, and Upload then removes its parts before it rejects. Upload's own abort()
    // rejects immediately and may leave parts behind.
    const upload = new Upload({
      client,
      params: { ...at(key), Body: Readable.from(reader, { objectMode: false }) },
      partSize: PART_SIZE,
      queueSize: PARTS_AT_ONCE,
    });
    await upload.done().catch((error) => {
      signal?.throwIfAborted();
      rethrow(error);
    });
    return reader.summary();
  }

  async function get(
    key: string,
    { range, signal }: Parameters<BlobStore['get']>[1] = {},
  ): Promise<OpenBlob> {
    checkBlobKey(key);
    signal?.throwIfAborted();
    const command = new GetObjectCommand({ ...at(key), ...rangeHeader(range) });
    const answer = await client.send(command, { abortSignal: signal }).catch((error) => {
      signal?.throwIfAborted();
      if (isMissingObject(error)) throw new NotFound('file', key);
      return isBadRange(error) ? refuseRange(key) : rethrow(error);
    });
    const body = answer.Body as Readable;
    if (signal) addAbortSignal(signal, body);
    const length = answer.ContentLength ?? 0;
    const total = /\/(\d+)$/.exec(answer.ContentRange ?? '')?.[1];
    return {
      size: total === undefined ? length : Number(total),
      length,
      modifiedAt: answer.LastModified ?? new Date(0),
      body,
    };
  }

  async function refuseRange(key: string): Promise<never> {
    throw unsatisfiableRange((await head(key))?.size ?? 0);
  }

  async function head(key: string): Promise<BlobInfo | undefined> {
    checkBlobKey(key);
    const answer = await client.send(new HeadObjectCommand(at(key))).catch((error) => {
      if (isMissingObject(error)) return undefined;
      return rethrow(error);
    });
    return answer && infoOf(key, answer.ContentLength, answer.LastModified);
  }

  async function remove(key: string): Promise<void> {
    checkBlobKey(key);
    await client.send(new DeleteObjectCommand(at(key))).catch(rethrow);
  }

  async function* list(wanted: string): AsyncGenerator<BlobInfo> {
    checkBlobPrefix(wanted);
    let next: string | undefined;
    do {
      const page = await client
        .send(new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix + wanted, ContinuationToken: next }))
        .catch(rethrow);
      for (const { Key = '', Size, LastModified } of page.Contents ?? []) {
        // Some tools create empty objects as folders; those are not our keys.
        const key = Key.slice(prefix.length);
        if (isBlobKey(key)) yield infoOf(key, Size, LastModified);
      }
      next = page.IsTruncated ? page.NextContinuationToken : undefined;
    } while (next !== undefined);
  }

  async function check(): Promise<void> {
    const limit = AbortSignal.timeout(CHECK_LIMIT);
    await client.send(new HeadBucketCommand({ Bucket: bucket }), { abortSignal: limit }).catch((error) => {
      throw limit.aborted ? s3Silent(error) : s3Problem(error, bucket);
    });
  }

  return { put, get, head, delete: remove, list, check, close: async () => client.destroy() };
}

function clientOptions(settings: S3Settings) {
  const { access_key_id: accessKeyId, secret_access_key: secretAccessKey } = settings;
  return {
    region: settings.region,
    forcePathStyle: settings.force_path_style,
    // S3-compatible servers may store the trailer of a checksummed stream as content.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: 10_000,
      socketTimeout: SILENCE,
      httpAgent: { keepAlive: true, maxSockets: CONNECTIONS },
      httpsAgent: { keepAlive: true, maxSockets: CONNECTIONS },
    },
    ...(settings.endpoint ? { endpoint: settings.endpoint } : {}),
    ...(accessKeyId && secretAccessKey ? { credentials: { accessKeyId, secretAccessKey } } : {}),
  } as const;
}

function rangeHeader(range: ByteRange | undefined): { Range?: string } {
  if (!range) return {};
  // Rejects invalid ranges here, because S3 answers a malformed range with the whole object.
  resolveRange(Number.MAX_SAFE_INTEGER, range);
  return { Range: `bytes=${range.start}-${range.end ?? ''}` };
}

function infoOf(key: string, size = 0, modifiedAt = new Date(0)): BlobInfo {
  return { key, size, modifiedAt };
}

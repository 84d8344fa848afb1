// Speed of the blob stores, each as a ratio to the plain file calls on the same disk in the same run:
// `node bench/blobs.ts [megabytes]`. A put is compared with write and fsync, a get with reading the file.
import { createReadStream } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BlobStore } from '../src/platform/blobs/blob-store.ts';
import { openFileBlobs } from '../src/platform/blobs/file-blobs.ts';
import { openS3Blobs } from '../src/platform/blobs/s3-blobs.ts';
import { startSeaweedfs } from '../test/testkit/seaweedfs.ts';

const ROUNDS = 3;
const SMALL_BLOBS = 200;
const chunk = Buffer.alloc(64 * 1024, 'roundhouse');
const megabytes = Number(process.argv[2] ?? 100);

interface Subject {
  name: string;
  put(key: string, chunks: number): Promise<unknown>;
  get(key: string): Promise<AsyncIterable<Uint8Array>>;
}

function* content(chunks: number) {
  for (let index = 0; index < chunks; index++) yield chunk;
}

/** The best of some rounds, in seconds: what the machine can do when nobody disturbs it. */
async function fastest(action: () => Promise<unknown>): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const begin = performance.now();
    await action();
    best = Math.min(best, (performance.now() - begin) / 1000);
  }
  return best;
}

async function measure(subject: Subject) {
  const put = await fastest(() => subject.put('large', megabytes * 16));
  const get = await fastest(async () => {
    for await (const _ of await subject.get('large'));
  });
  const small = await fastest(async () => {
    for (let index = 0; index < SMALL_BLOBS; index++) await subject.put(`small-${index}`, 1);
  });
  return { name: subject.name, put: megabytes / put, get: megabytes / get, small: SMALL_BLOBS / small };
}

function plainFiles(folder: string): Subject {
  return {
    name: 'plain files',
    async put(key, chunks) {
      const file = await open(join(folder, key), 'w');
      for (const piece of content(chunks)) await file.write(piece);
      await file.sync();
      await file.close();
    },
    get: async (key) => createReadStream(join(folder, key), { highWaterMark: 256 * 1024 }),
  };
}

function blobStore(name: string, store: BlobStore): Subject {
  return {
    name,
    put: (key, chunks) => store.put(key, content(chunks)),
    get: async (key) => (await store.get(key)).body,
  };
}

const folder = await mkdtemp(join(tmpdir(), 'roundhouse-bench-'));
const server = await startSeaweedfs();
try {
  await server.createBucket('bench');
  const s3 = await openS3Blobs('bench', '', {
    endpoint: server.endpoint,
    region: 'us-east-1',
    access_key_id: server.accessKeyId,
    secret_access_key: server.secretAccessKey,
    force_path_style: true,
  });
  const plain = await measure(plainFiles(folder));
  const rows = [
    plain,
    await measure(blobStore('file blobs', await openFileBlobs(join(folder, 'blobs')))),
    await measure(blobStore('S3 blobs', s3)),
  ];
  await s3.close();
  console.log(
    `${megabytes} MB in one blob; ${SMALL_BLOBS} blobs of 64 KB one after another; best of ${ROUNDS}`,
  );
  console.table(
    rows.map((row) => ({
      store: row.name,
      'put MB/s': Math.round(row.put),
      'put ratio': (row.put / plain.put).toFixed(2),
      'get MB/s': Math.round(row.get),
      'get ratio': (row.get / plain.get).toFixed(2),
      'small puts/s': Math.round(row.small),
      'small ratio': (row.small / plain.small).toFixed(2),
    })),
  );
} finally {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}

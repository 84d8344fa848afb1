// Speed of the blob stores as a ratio to the calls they are built on, in the same run: write, fsync and read of a file;
// one PutObject and GetObject with the whole content in memory. `node bench/blobs.ts [megabytes]`
import { createReadStream } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import type { BlobStore } from '../src/platform/blobs/blob-store.ts';
import { openFileBlobs } from '../src/platform/blobs/file-blobs.ts';
import { openS3Blobs } from '../src/platform/blobs/s3-blobs.ts';
import { type S3Server, startSeaweedfs } from '../test/testkit/stores/seaweedfs.ts';

const ROUNDS = 5;
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

const tasks: { name: string; unit: string; amount: number; run(subject: Subject): Promise<unknown> }[] = [
  { name: 'put', unit: 'MB/s', amount: megabytes, run: (subject) => subject.put('large', megabytes * 16) },
  {
    name: 'get',
    unit: 'MB/s',
    amount: megabytes,
    async run(subject) {
      for await (const _ of await subject.get('large'));
    },
  },
  {
    name: 'small puts',
    unit: 'a second',
    amount: SMALL_BLOBS,
    async run(subject) {
      for (let index = 0; index < SMALL_BLOBS; index++) await subject.put(`small-${index}`, 1);
    },
  },
];

/** Alternates between both, so that noise affects them equally; the best round of each counts. */
async function compare(plain: Subject, ours: Subject): Promise<void> {
  for (const task of tasks) {
    const best = new Map<Subject, number>();
    for (let round = 0; round < ROUNDS; round++) {
      for (const subject of [plain, ours]) {
        const begin = performance.now();
        await task.run(subject);
        const rate = (task.amount / (performance.now() - begin)) * 1000;
        best.set(subject, Math.max(rate, best.get(subject) ?? 0));
      }
    }
    const [baseline = 0, measured = 0] = [best.get(plain), best.get(ours)];
    console.log(
      `${ours.name.padEnd(10)} ${task.name.padEnd(10)} ${measured.toFixed(0).padStart(5)} ${task.unit}, ` +
        `${plain.name} ${baseline.toFixed(0)}: ratio ${(measured / baseline).toFixed(2)}`,
    );
  }
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

function plainS3({ client }: S3Server): Subject {
  return {
    name: 'plain S3 calls',
    put: (Key, chunks) =>
      client.send(
        new PutObjectCommand({
          Bucket: 'bench',
          Key: `plain-${Key}`,
          Body: Buffer.concat([...content(chunks)]),
        }),
      ),
    get: async (Key) =>
      (await client.send(new GetObjectCommand({ Bucket: 'bench', Key: `plain-${Key}` }))).Body as Readable,
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
  const pairs: [Subject, Subject][] = [
    [plainFiles(folder), blobStore('file blobs', await openFileBlobs(join(folder, 'blobs')))],
    [plainS3(server), blobStore('S3 blobs', s3)],
  ];
  console.log(
    `${megabytes} MB in one blob; ${SMALL_BLOBS} blobs of 64 KB one after another; best of ${ROUNDS}`,
  );
  for (const [plain, ours] of pairs) await compare(plain, ours);
  await s3.close();
} finally {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}

/**
 * How fast the vector stores search 100,000 chunks, by vector and by terms at once:
 * `node bench/retrieval/speed.ts [--points 100000] [--queries 400] [--only embedded|qdrant] [--sentences]`.
 * It needs a quiet machine.
 */
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { silentLogger } from '../../src/platform/telemetry/logger.ts';
import { openVectors } from '../../src/platform/vectors/open-vectors.ts';
import type { VectorStore } from '../../src/platform/vectors/vector-store.ts';
import { startQdrant } from '../../test/testkit/stores/qdrant.ts';
import { CHUNKS_PER_DOCUMENT, createCorpus } from './speed-corpus.ts';

const { values } = parseArgs({
  options: {
    points: { type: 'string', default: '100000' },
    queries: { type: 'string', default: '400' },
    only: { type: 'string' },
    sentences: { type: 'boolean', default: false },
  },
});
const points = Number(values.points);
const queries = Number(values.queries);
const COLLECTION = 'bench';
/** Chunks that an ingestion hands over at once. */
const BATCH = 64;
const LIMIT = 30;
const goals = { embedded: 50, qdrant: 30 };

const corpus = createCorpus({ sentences: values.sentences });
const settings = { timeout: 300_000, memory: 2 ** 30, idle: 600_000 };

// In the checkout instead of a temporary folder, which may be in memory.
const folder = await mkdtemp(join(import.meta.dirname, '../..', '.bench-vectors-'));
let missed = false;
try {
  console.log(
    `${points} points of ${corpus.dimensions} dimensions and about ${corpus.termsPerChunk} different terms`,
  );
  if (values.only !== 'qdrant') await measureEmbedded();
  if (values.only !== 'embedded') await measureQdrant();
} finally {
  await rm(folder, { recursive: true, force: true });
}
if (missed) process.exitCode = 1;

async function measureEmbedded(): Promise<void> {
  console.log('\nembedded');
  const open = () =>
    openVectors({ ...settings, url: undefined }, { dataDir: folder, logger: silentLogger() });
  const idle = memoryOf('self');
  const filling = await open();
  await fill(filling);
  await filling.close();
  const files = await readdir(join(folder, 'vectors'));
  const sizes = await Promise.all(files.map((file) => stat(join(folder, 'vectors', file))));
  print('files', megabytes(sizes.reduce((sum, { size }) => sum + size, 0)));
  const store = await open();
  const { time } = await timed(() => store.search(COLLECTION, corpus.query(0, LIMIT)));
  print('opening, with the first search', milliseconds(time));
  await search(store, goals.embedded);
  await change(store);
  print('memory of the process, above idle', megabytes(memoryOf('self') - idle));
  await store.close();
}

async function measureQdrant(): Promise<void> {
  console.log('\nQdrant');
  const server = await startQdrant();
  const store = await openVectors(
    { ...settings, url: server.url, api_key: server.apiKey },
    { dataDir: folder, logger: silentLogger() },
  );
  try {
    await store.drop(COLLECTION);
    await fill(store);
    const { time } = await timed(() => untilIndexed(server.url, server.apiKey));
    print('indexing afterwards', milliseconds(time));
    await search(store, goals.qdrant);
    await change(store);
    if (server.pid !== undefined) print('memory of the server', megabytes(memoryOf(String(server.pid))));
    await store.drop(COLLECTION);
  } finally {
    await store.close();
    await server.stop();
  }
}

async function fill(store: VectorStore): Promise<void> {
  await store.ensure(COLLECTION, { dimensions: corpus.dimensions });
  let writing = 0;
  for (let first = 0; first < points; first += BATCH) {
    const batch = corpus.points(first, Math.min(BATCH, points - first));
    writing += (await timed(() => store.upsert(COLLECTION, batch))).time;
  }
  print('writing', `${((points / writing) * 1000).toFixed(0)} points/s`);
}

async function search(store: VectorStore, goal: number): Promise<void> {
  const hidden = [1, 2, 3];
  for (let number = 0; number < 20; number++) await store.search(COLLECTION, corpus.query(number, LIMIT));
  const times: number[] = [];
  for (let number = 0; number < queries; number++) {
    const query = { ...corpus.query(number, LIMIT), hidden };
    times.push((await timed(() => store.search(COLLECTION, query))).time);
  }
  times.sort((one, other) => one - other);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  const met = at(0.99) <= goal;
  missed ||= !met;
  print(`search, p50 / p99, ${LIMIT} of each side`, `${milliseconds(at(0.5))} / ${milliseconds(at(0.99))}`);
  print(`goal: p99 at most ${goal} ms`, met ? 'met' : 'missed');
}

async function change(store: VectorStore): Promise<void> {
  const added = corpus.points(points, CHUNKS_PER_DOCUMENT);
  const group = added[0]?.group ?? 0;
  const adding = await timed(() => store.upsert(COLLECTION, added));
  print(`adding a document of ${added.length} chunks`, milliseconds(adding.time));
  const next = await timed(() => store.search(COLLECTION, corpus.query(1, LIMIT)));
  print('the next search', milliseconds(next.time));
  const removing = await timed(() => store.remove(COLLECTION, [group]));
  print(`removing it, ${removing.result} points`, milliseconds(removing.time));
  const after = await timed(() => store.search(COLLECTION, corpus.query(2, LIMIT)));
  print('the next search', milliseconds(after.time));
}

/** Until the server has built its graphs, it compares every vector. */
async function untilIndexed(url: string, apiKey: string | undefined): Promise<void> {
  for (let still = 0; still < 3; ) {
    const answer = await fetch(`${url}/collections/${COLLECTION}`, { headers: { 'api-key': apiKey ?? '' } });
    const { result } = (await answer.json()) as { result: { status: string } };
    still = result.status === 'green' ? still + 1 : 0;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

async function timed<Result>(action: () => Promise<Result>): Promise<{ result: Result; time: number }> {
  const start = performance.now();
  const result = await action();
  return { result, time: performance.now() - start };
}

/** Resident memory in bytes, without file contents that the kernel caches. */
function memoryOf(process: string): number {
  const status = readFileSync(`/proc/${process}/status`, 'utf8');
  return Number(/^RssAnon:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
}

function print(what: string, figure: string): void {
  console.log(`${what.padEnd(40)} ${figure}`);
}

function milliseconds(time: number): string {
  return `${time.toFixed(1)} ms`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}

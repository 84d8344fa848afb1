/**
 * What ingestion costs apart from the embeddings model, which is replaced by one that answers at once: chunks per second
 * and memory for a bot of many documents, and the time to add a document to a bot of 100,000 chunks.
 * `--quick` takes a tenth of everything.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '../../src/contracts/clock.ts';
import { chunksFrom, insertChunks } from '../../src/document-index/ingestion/chunks-store.ts';
import type { EmbeddingsModel } from '../../src/document-index/ingestion/embedding/embeddings-model.ts';
import { ingestDocument } from '../../src/document-index/ingestion/ingest-document.ts';
import type { IngestionDependencies } from '../../src/document-index/ingestion/ingestion-dependencies.ts';
import type { StoredVersion } from '../../src/document-index/ingestion/versions/versions-store.ts';
import { openDocuments } from '../../src/documents/read-document.ts';
import { documentSettings } from '../../src/documents/settings.ts';
import { openFileBlobs } from '../../src/platform/blobs/file-blobs.ts';
import type { Inference } from '../../src/platform/inference/inference.ts';
import { silentLogger } from '../../src/platform/telemetry/logger.ts';
import { openEmbeddedVectors } from '../../src/platform/vectors/embedded/embedded-vectors.ts';
import { addBot, addVersion, countTerms, versionOf } from '../../test/testkit/document-index/bot-rows.ts';
import { docx } from '../../test/testkit/documents/office-files.ts';
import { seededRandom } from '../../test/testkit/random.ts';
import { openDatabase } from '../../test/testkit/stores/open-database.ts';
import { randomVector } from '../../test/testkit/stores/vectors.ts';

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
const share = values.quick ? 0.1 : 1;
const goals = { rate: 300, memory: 600, adding: 3 };
const model: EmbeddingsModel = { name: 'instant', dimensions: 384 };
/** As many as a command prepares by default. */
const atOnce = 2;

// In the checkout instead of a temporary folder, which may be in memory.
const folder = mkdtempSync(join(import.meta.dirname, '..', '..', '.bench-ingest-'));
const random = seededRandom(1);
const vectors = Array.from({ length: 512 }, () => randomVector(random, model.dimensions));
const words = Array.from({ length: 6_000 }, (_, at) =>
  at % 2 === 0 ? `term${at.toString(36)}` : `слово${at.toString(36)}`,
);

const inference: Pick<Inference, 'embed'> = {
  async *embed(texts) {
    let start = 0;
    let batch: string[] = [];
    const answer = () => ({
      start,
      texts: batch,
      vectors: batch.map((_, at) => vectors[(start + at) % vectors.length] as Float32Array),
      usage: undefined,
    });
    for await (const text of texts) {
      batch.push(text);
      if (batch.length < 32) continue;
      yield answer();
      [start, batch] = [start + batch.length, []];
    }
    if (batch.length > 0) yield answer();
  },
};

function sentenceOf(length: number): string {
  const picked = Array.from({ length }, () => words[Math.floor(words.length ** random.share())] ?? 'a');
  return `${picked.join(' ')}.`;
}

/** Ten sections of about a thousand characters. */
function textOf(number: number): string {
  const sections = Array.from(
    { length: 10 },
    (_, at) => `## Section ${at}\n\n${Array.from({ length: 9 }, () => sentenceOf(12)).join(' ')}`,
  );
  return [`# Document ${number}`, ...sections].join('\n\n');
}

const paragraph = (text: string, style = '') =>
  `<w:p>${style && `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`}<w:r><w:t>${text}</w:t></w:r></w:p>`;

/** Every fourth document is a Word file. */
function fileOf(number: number): { name: string; content: Buffer } {
  const text = textOf(number);
  if (number % 4 !== 0) return { name: `${number}.md`, content: Buffer.from(text) };
  const body = text.split('\n\n').map((part) => {
    const [, signs = '', words = ''] = /^(#*) ?([\s\S]*)$/.exec(part) ?? [];
    return paragraph(words, signs === '' ? '' : `H${signs.length}`);
  });
  return { name: `${number}.docx`, content: docx(body.join('')) };
}

async function openSite() {
  const database = await openDatabase({ url: `sqlite:${join(folder, 'index.db')}` });
  const blobs = await openFileBlobs(join(folder, 'blobs'));
  const documents = openDocuments({ ...documentSettings.documents.parse({}), workers: 2 });
  const logger = silentLogger();
  const store = openEmbeddedVectors(
    { folder: join(folder, 'vectors'), memory: 2 ** 30, idle: 60_000 },
    { logger },
  );
  const deps: IngestionDependencies = {
    database,
    blobs,
    documents,
    layoutModels: () => undefined,
    inference,
    models: { current: async () => model, isServed: async () => true },
    vectors: store,
    termsOf: countTerms,
    clock: systemClock,
    logger,
    spoolFolder: folder,
    sentences: false,
    settings: { chunk_characters: 1_200, table_characters: 3_000 },
  };
  return { deps, blobs, close: () => Promise.all([documents.close(), store.close(), database.close()]) };
}

type Site = Awaited<ReturnType<typeof openSite>>;

async function store({ deps, blobs }: Site, bot: string, number: number): Promise<StoredVersion> {
  const { name, content } = fileOf(number);
  const blob = `bots/${bot}/${number}`;
  const { size, sha256 } = await blobs.put(blob, [content]);
  const id = await addVersion(deps.database, { bot, name, blob, bytes: size, sha256 });
  return (await versionOf(deps.database, id)) as StoredVersion;
}

const ingest = ({ deps }: Site, document: StoredVersion) =>
  ingestDocument(deps, {
    document,
    collection: document.bot,
    model,
    signal: new AbortController().signal,
    onProgress: () => undefined,
  });

/** Resident memory of a process and of the processes that it started, in MB. */
function residentOf(pid: number): number {
  try {
    const own = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
    const threads = readdirSync(`/proc/${pid}/task`);
    const children = threads.flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    );
    return own + children.reduce((sum, child) => sum + residentOf(child), 0);
  } catch {
    return 0;
  }
}

async function manyDocuments(site: Site): Promise<void> {
  const count = Math.round(2_000 * share);
  await addBot(site.deps.database, 'many');
  const waiting: StoredVersion[] = [];
  for (let number = 0; number < count; number++) waiting.push(await store(site, 'many', number));
  let [own, all, slowest] = [0, 0, 0];
  const look = () => {
    own = Math.max(own, process.memoryUsage().rss / 2 ** 20);
    all = Math.max(all, residentOf(process.pid));
  };
  let last = performance.now();
  const beat = setInterval(() => {
    slowest = Math.max(slowest, performance.now() - last - 20);
    last = performance.now();
  }, 20);
  const watching = setInterval(look, 250);
  const [start, processor] = [performance.now(), process.cpuUsage()];
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let document = waiting.shift(); document; document = waiting.shift()) await ingest(site, document);
    }),
  );
  const seconds = (performance.now() - start) / 1_000;
  const { user, system } = process.cpuUsage(processor);
  look();
  clearInterval(watching);
  clearInterval(beat);
  const chunks = [...(await site.deps.vectors.count('many')).values()].reduce((sum, one) => sum + one, 0);
  const rate = chunks / seconds;
  say(
    `${count} documents, ${chunks} chunks`,
    `${rate.toFixed(0)} chunks/s`,
    `${goals.rate} chunks/s`,
    rate >= goals.rate,
  );
  console.log(
    `  processor time of the platform: ${((user + system) / 1_000 / chunks).toFixed(2)} ms per chunk`,
  );
  console.log(`  longest time that the event loop was held up: ${slowest.toFixed(0)} ms`);
  say('memory of the platform', `${own.toFixed(0)} MB`, `${goals.memory} MB`, own <= goals.memory);
  console.log(`  with the processes that read documents: ${all.toFixed(0)} MB`);
}

/** Puts chunks into the database and the store without reading documents. */
async function fill({ deps }: Site, bot: string, chunks: number): Promise<void> {
  await addBot(deps.database, bot, model);
  await deps.vectors.ensure(bot, { dimensions: model.dimensions });
  const perDocument = 500;
  for (let number = 0; number * perDocument < chunks; number++) {
    const id = await addVersion(deps.database, {
      bot,
      name: `${number}`,
      state: 'active',
      chunks: perDocument,
    });
    const rows = Array.from({ length: perDocument }, (_, position) => ({
      bot,
      document: id,
      position,
      kind: 'text' as const,
      text: Array.from({ length: 9 }, () => sentenceOf(12)).join(' '),
      context: `Document ${number}`,
      headings_json: '[]',
      markdown: null,
      page: null,
      segments_json: '[]',
      language: 'eng',
    }));
    await deps.database.transaction((session) => insertChunks(session, rows));
    const stored = await chunksFrom(deps.database, id, 0, perDocument);
    const points = stored.map((chunk) => ({
      id: chunk.id,
      group: id,
      vector: vectors[chunk.id % vectors.length] as Float32Array,
      terms: countTerms(chunk.text),
    }));
    await deps.vectors.upsert(bot, points);
  }
}

async function oneMore(site: Site): Promise<void> {
  const chunks = 100_000 * share;
  await fill(site, 'large', chunks);
  const times: number[] = [];
  for (let number = 1; number <= 3; number++) {
    const start = performance.now();
    await ingest(site, await store(site, 'large', number));
    times.push((performance.now() - start) / 1_000);
  }
  const worst = Math.max(...times);
  say(
    `a document more in a bot of ${chunks} chunks`,
    `${worst.toFixed(2)} s`,
    `${goals.adding} s`,
    worst <= goals.adding,
  );
}

function say(what: string, result: string, goal: string, isReached: boolean): void {
  console.log(`${isReached ? 'ok    ' : 'MISSED'} ${what}: ${result} (goal: ${goal})`);
  if (!isReached) process.exitCode = 1;
}

const site = await openSite();
try {
  await manyDocuments(site);
  await oneMore(site);
} finally {
  await site.close();
  rmSync(folder, { recursive: true, force: true });
}

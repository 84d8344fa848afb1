import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { platformActor } from '../../../src/contracts/actor.ts';
import { systemClock } from '../../../src/contracts/clock.ts';
import type { CommandStatus, RegressionResult } from '../../../src/contracts/document-index/commands.ts';
import { UpstreamFailed } from '../../../src/contracts/problems.ts';
import { type IndexEngine, openDocumentIndex } from '../../../src/document-index/part.ts';
import { indexSettings } from '../../../src/document-index/settings.ts';
import type { FetchedFile, SourceItem, Sources } from '../../../src/document-index/sources/source.ts';
import { openKeyRing } from '../../../src/platform/auth/key-ring.ts';
import { createKey } from '../../../src/platform/auth/keys/create-key.ts';
import { openBlobs } from '../../../src/platform/blobs/open-blobs.ts';
import { buildApp } from '../../../src/platform/http/build-app.ts';
import type { Foundation } from '../../../src/platform/parts/part.ts';
import { createWorkRunner } from '../../../src/platform/queue/running/work-runner.ts';
import { createWorkQueue } from '../../../src/platform/queue/work-queue.ts';
import { silentLogger } from '../../../src/platform/telemetry/logger.ts';
import { createMetrics } from '../../../src/platform/telemetry/metrics.ts';
import type { VectorStore } from '../../../src/platform/vectors/vector-store.ts';
import { openDatabase } from '../stores/open-database.ts';
import { until } from '../until.ts';
import { DeployedModel, plainIngestion } from './plain-ingestion.ts';
import { openPlainVectors } from './plain-vectors.ts';

interface PlatformOptions {
  /** Where everything is kept; a temporary folder by default. */
  folder?: string;
  /** A SQLite file in the folder by default. */
  url?: string;
  settings?: Partial<Foundation<never>>;
  index?: object;
  /** Milliseconds per paragraph. */
  pace?: () => number;
  /** Whether commands are carried out; they only wait otherwise. */
  run?: boolean;
  clock?: typeof systemClock;
  vectors?: VectorStore;
  /** Files in a map by default. */
  sources?: Sources;
  /** What commands call; simple stand-ins by default. */
  engine?: (
    foundation: Foundation<never>,
    vectors: VectorStore,
  ) => Promise<IndexEngine & { close(): Promise<void> }>;
}

export type IndexPlatform = Awaited<ReturnType<typeof openIndexPlatform>>;

/** The document index on a real server, database, queue and blob store, with a simple ingestion. */
export async function openIndexPlatform(options: PlatformOptions = {}) {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'roundhouse-index-'));
  const clock = options.clock ?? systemClock;
  const logger = silentLogger();
  const url = options.url ?? `sqlite:${join(folder, 'roundhouse.db')}`;
  const database = await openDatabase({ url });
  const blobs = await openBlobs({
    url: `file:${join(folder, 'blobs')}`,
    s3: { region: 'none', force_path_style: true },
  });
  const vectors = options.vectors ?? openPlainVectors(join(folder, 'vectors.db'));
  const ring = await openKeyRing({ database, clock, logger });
  const queue = createWorkQueue({ database, clock });
  const models = new DeployedModel();
  const changed = new Set<() => void>();
  const links = new Map<string, string>();
  const ingestion = plainIngestion({
    database,
    blobs,
    vectors,
    models,
    ...(options.pace ? { pace: options.pace } : {}),
  });
  // Every question fails whose document the bot doesn't have.
  const regression = async (bot: string): Promise<RegressionResult | null> => {
    const questions = await database.query
      .selectFrom('bot_questions')
      .selectAll()
      .where('bot', '=', bot)
      .execute();
    const names = (await part.bots.documents(bot)).map(({ name }) => name);
    const worse = questions.filter(({ document }) => document !== null && !names.includes(document));
    return questions.length === 0
      ? null
      : {
          questions: questions.length,
          passed: questions.length - worse.length,
          worse: worse.map(({ question }) => ({ question, reason: 'its document is gone' })),
        };
  };
  const index = { ...indexSettings.index.parse(undefined), ...options.index };
  const foundation = {
    config: { index, documents: { max_file_size: 2 ** 20 }, data_dir: folder },
    database,
    clock,
    logger,
    queue,
    blobs,
  } as unknown as Foundation<never>;
  const given = await options.engine?.(foundation, vectors);
  const engine = given ?? { ingestion, models, sources: options.sources ?? linkSources(links), regression };
  const part = openDocumentIndex(foundation, {
    vectors,
    engine,
    search: async () => ({ passages: [], confidence: 0, answerable: false, language: 'eng' }),
    slots: { onChange: (listener) => void changed.add(listener) },
  });
  const runner = createWorkRunner({
    database,
    queue,
    clock,
    logger,
    kinds: part.work ?? {},
    pollEvery: 50,
    lease: 3_000,
  });
  const { app, drain } = await buildApp({
    services: [...(part.services ?? [])],
    logger,
    metrics: createMetrics({ version: '0.0.0', processMetrics: false }),
    access: { authenticate: ring.authenticate, open: false },
    programVersion: '0.0.0',
    http: { body_limit: 2 ** 20, cors_origins: [] },
  });
  const newKey = async (name: string, scopes: ('index' | 'index:read')[], limits = {}) => {
    const { key } = await createKey({ database, clock, ring } as never, platformActor('test'), {
      name,
      scopes,
      limits,
    } as never);
    return key;
  };
  const key = await newKey('анна', ['index']);
  await part.start?.();
  if (options.run !== false) runner.start();

  async function call(method: string, path: string, body?: FormData | object, as = key) {
    const isForm = body instanceof FormData;
    const request = new Request('http://x', {
      method: 'POST',
      body: isForm ? body : JSON.stringify(body ?? null),
    });
    const type = isForm ? request.headers.get('content-type') : 'application/json';
    const answer = await app.inject({
      method: method as 'GET',
      url: `/indexapi${path}`,
      headers: { authorization: `Bearer ${as}`, ...(body ? { 'content-type': type ?? '' } : {}) },
      ...(body ? { payload: Buffer.from(await request.arrayBuffer()) } : {}),
    });
    // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every kind
    return { status: answer.statusCode, body: answer.body === '' ? null : (JSON.parse(answer.body) as any) };
  }

  /** Waits until the command of an accepted request has ended. */
  async function ended(bot: string, command: string): Promise<CommandStatus> {
    return until(`command ${command} to end`, async () => {
      const { body } = await call('GET', `/bot/${bot}/command/${command}`);
      return body.finished_at ? (body as CommandStatus) : undefined;
    });
  }

  async function done(bot: string, request: ReturnType<typeof call>): Promise<CommandStatus> {
    const { status, body } = await request;
    if (status !== 202) throw new Error(`${status}: ${JSON.stringify(body)}`);
    return ended(bot, body.command_id);
  }

  /** Everything that is stored for bots, to compare states. */
  async function stored() {
    const files: string[] = [];
    for await (const { key: blob } of blobs.list('index/')) files.push(blob);
    const rows = await database.query.selectFrom('bot_documents').selectAll().orderBy('id').execute();
    const chunks = await database.query
      .selectFrom('bot_chunks')
      .select(['document', 'text'])
      .orderBy('id')
      .execute();
    const collections = await vectors.list();
    return { files: files.sort(), rows, chunks, collections };
  }

  return {
    folder,
    app,
    part,
    runner,
    database,
    queue,
    blobs,
    vectors,
    models,
    ingestion,
    links,
    clock,
    key,
    newKey,
    call,
    ended,
    done,
    stored,
    modelChanged: () => {
      for (const listener of changed) listener();
    },
    /** Waits until no work is left, clean-ups included. */
    idle: () =>
      until(
        'all work to end',
        async () => (await queue.list({ states: ['CREATED', 'RUNNING'] })).length === 0,
      ),
    async close(keep = false) {
      await runner.stop({ grace: 500 });
      await drain.close(0);
      await part.close?.();
      await given?.close();
      await ring.close();
      await vectors.close();
      await database.close();
      if (!keep) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A form with files by name, and other fields. */
export function form(
  files: [name: string, content: string][],
  fields: Record<string, string> = {},
  field = 'files',
) {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.append(name, value);
  for (const [name, content] of files) data.append(field, new Blob([content], { type: 'text/plain' }), name);
  return data;
}

export const fields = (values: Record<string, string>) => form([], values);

/** Sources whose files are in a map, by URL. A direct link is one file; a wiki is all files below its URL. */
function linkSources(links: ReadonlyMap<string, string>): Sources {
  const itemOf = (url: string): SourceItem => ({
    id: url,
    version: null,
    name: url,
    url,
    size: null,
    path: [],
  });
  return {
    async *list(descriptor) {
      if (descriptor.url.includes('away.example')) throw new UpstreamFailed('away.example does not answer');
      if (descriptor.type === 'direct_link') return yield itemOf(descriptor.url);
      if (descriptor.type === 'wiki' && descriptor.api_key !== 'token')
        throw new UpstreamFailed('the wiki refused the token');
      for (const url of links.keys()) if (url.startsWith(descriptor.url)) yield itemOf(url);
    },
    async fetch({ url, name }): Promise<FetchedFile> {
      const content = links.get(url);
      if (content === undefined) throw new UpstreamFailed(`${url} answered 404`);
      return {
        name,
        type: 'text/plain',
        body: (async function* () {
          yield Buffer.from(content);
        })(),
      };
    },
  };
}

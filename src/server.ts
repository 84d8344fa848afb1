import { sql } from 'kysely';
import { openAssistants, openReaders } from './assistants.ts';
import type { ProcessLauncher } from './launchers/process/process-launcher.ts';
import { migrations } from './migrations.ts';
import type { StarterEvent } from './models/catalog/bring-up-starters.ts';
import { type BuiltApp, buildApp } from './platform/http/build-app.ts';
import { listen } from './platform/http/listen.ts';
import { resolveAliases } from './platform/inference/aliases.ts';
import { createInference, type Inference } from './platform/inference/inference.ts';
import type { InferenceFront } from './platform/inference/inference-front.ts';
import { remoteFront } from './platform/inference/remote/remote-front.ts';
import { httpTransport } from './platform/inference/sending/http-transport.ts';
import type { InferenceTransport } from './platform/inference/sending/transport.ts';
import { Closers } from './platform/parts/closers.ts';
import { type DiskReserve, keepDiskReserve } from './platform/parts/disk-reserve.ts';
import { openFoundation } from './platform/parts/open-foundation.ts';
import type { Foundation, Part } from './platform/parts/part.ts';
import { createWorkRunner } from './platform/queue/running/work-runner.ts';
import type { VectorStore } from './platform/vectors/vector-store.ts';
import { programVersion } from './platform/version.ts';
import type { Config } from './settings.ts';

/** The parts that `--only` can name. */
export const partNames = ['dispatcher', 'management', 'hosted', 'index', 'chatbot', 'console'] as const;
export type PartName = (typeof partNames)[number];

export interface Platform extends Pick<Foundation, 'logger' | 'adminKey'> {
  built: BuiltApp;
  /** The parts that this process runs, each with the path of its API reference. */
  served: { part: string; docs?: string | undefined }[];
  /** The dispatcher in another process, where a part here needs one, and what is wrong with it. */
  remoteDispatcher(): Promise<{ url: string; problem: string | null } | undefined>;
  /** Starts listening and returns the address. */
  start(): Promise<string>;
  /** Downloads and serves the starter models if the settings ask for them; resolves when each is ready or has failed. */
  bringUpStarters(onEvent: (event: StarterEvent) => void): Promise<void>;
  stop(): Promise<void>;
}

/** Opens the foundation and the requested parts. Nothing listens before `start`. */
export async function buildPlatform(
  config: Config,
  only: readonly PartName[] = partNames,
): Promise<Platform> {
  const closers = new Closers();
  try {
    let address: string | undefined;
    const opened = await openFoundation(config, { migrations, threads: threadsOf(config, only) }, closers);
    const foundation: Foundation<Config> = { ...opened, address: () => address };
    const reserve = await keepDiskReserve({ folder: config.data_dir, logger: opened.logger });
    closers.add(() => reserve.close());
    const vectors = needsVectors(only) ? await openVectors(foundation, closers) : undefined;
    const { parts, dispatcher, management } = await openParts(foundation, { only, vectors }, closers);
    const runner = createWorkRunner({
      ...foundation,
      machine: config.machine,
      kinds: Object.assign({}, ...parts.map((part) => part.work)),
    });
    closers.add(() => runner.stop());
    const services = parts.flatMap((part) => part.services ?? []);
    const built = await buildApp({
      ...foundation,
      services,
      programVersion,
      http: config.http,
      metricsFor: config.telemetry.metrics,
      serverFactory: dispatcher?.serverFactory,
      parts: readiness(foundation, reserve, vectors),
      beforeRequest: async (method) => (method === 'DELETE' ? reserve.lend() : undefined),
    });
    closers.add(() => built.drain.close(config.http.drain_timeout));
    return {
      built,
      served: only.map((part) => ({ part, docs: services.find(({ name }) => name === part)?.docs })),
      async remoteDispatcher() {
        if (dispatcher || !management) return undefined;
        return { url: config.dispatcher.url, problem: await management.dispatcherProblem() };
      },
      logger: foundation.logger,
      adminKey: foundation.adminKey,
      async start() {
        const { host, port = defaultPort(only) } = config;
        address = await listen(built.app, { host, port, workers: dispatcher?.workers });
        for (const part of parts) await part.start?.();
        runner.start();
        return address;
      },
      bringUpStarters: async (onEvent) => management?.bringUpStarters(onEvent),
      stop: () => closers.close(),
    };
  } catch (error) {
    await closers.close();
    throw error;
  }
}

/** Opens the parts in dependency order. Parts that are not requested are not even loaded. */
async function openParts(
  foundation: Foundation<Config>,
  { only, vectors }: { only: readonly PartName[]; vectors: VectorStore | undefined },
  closers: Closers,
) {
  const parts: Part[] = [];
  const add = <Opened extends Part>(part: Opened): Opened => {
    parts.push(part);
    closers.add(() => part.close?.());
    return part;
  };
  const asked = (name: PartName) => only.includes(name);

  const runsPods = asked('dispatcher') || asked('management');
  const launcher = runsPods ? await openLauncher(foundation, asked('dispatcher'), closers) : undefined;
  const dispatcher =
    launcher && asked('dispatcher')
      ? add(await (await import('./dispatcher/part.ts')).openDispatcher(foundation, { launcher }))
      : undefined;
  const inference = dispatcher?.inference ?? remoteInference(foundation, closers);
  const management =
    launcher && asked('management')
      ? add(
          await (await import('./management/part.ts')).openManagement(foundation, {
            launcher,
            inference,
            pods: dispatcher?.pods,
          }),
        )
      : undefined;
  const readers = asked('hosted') || asked('index') ? await openReaders(foundation, closers) : undefined;
  if (readers && asked('hosted')) {
    const { openHosted } = await import('./hosted/part.ts');
    const transport = dispatcher?.localTransport;
    add(await openHosted(foundation, { inference, slots: management?.slots, transport, ...readers }));
  }
  if (vectors) {
    const assistants = await openAssistants(foundation, {
      chatbot: asked('chatbot'),
      readers: asked('index') ? readers : undefined,
      vectors,
      inference: inferenceClient(foundation, dispatcher?.localTransport, closers),
      slots: management?.slots,
      dispatcher,
    });
    for (const part of assistants) add(part);
  }
  if (asked('console')) add((await import('./console/part.ts')).openConsole());
  // Last, when the parts have started their pods.
  if (launcher) parts.push({ start: () => launcher.sweepLogs() });
  return { parts, dispatcher, management };
}

async function openLauncher(
  foundation: Foundation<Config>,
  dispatcherHere: boolean,
  closers: Closers,
): Promise<ProcessLauncher> {
  const { openLauncher: open } = await import('./launchers/part.ts');
  const launcher = open(foundation, { dispatcherHere });
  closers.add(() => launcher.close());
  return launcher;
}

const needsVectors = (only: readonly PartName[]) => only.includes('index') || only.includes('chatbot');

/** The store of the bots' passages. It opens its files, or connects, on first use. */
async function openVectors({ config, logger }: Foundation<Config>, closers: Closers): Promise<VectorStore> {
  const { openVectors: open } = await import('./platform/vectors/open-vectors.ts');
  const vectors = await open(config.vectors, { dataDir: config.data_dir, logger });
  closers.add(() => vectors.close());
  return vectors;
}

/** Inference for processes without a dispatcher. It connects on first use. */
function remoteInference(
  { config, ownKey, database, metering }: Foundation<Config>,
  closers: Closers,
): InferenceFront {
  const { url } = config.dispatcher;
  const transport = httpTransport(url);
  const front = remoteFront({
    url,
    sender: { transport, ownKey },
    bodyLimit: config.http.body_limit,
    aliases: resolveAliases(config.dispatcher.aliases),
    // A SQLite database belongs to one process: the dispatcher can't know the keys in it.
    local: database.dialect === 'sqlite' ? metering : undefined,
  });
  closers.add(async () => {
    front.close();
    await transport.close();
  });
  return front;
}

/** The models, for parts that call them: in this process, or over HTTP. */
function inferenceClient(
  { config, ownKey }: Foundation<Config>,
  local: InferenceTransport | undefined,
  closers: Closers,
): Inference {
  if (local) return createInference({ transport: local, ownKey });
  const transport = httpTransport(config.dispatcher.url);
  closers.add(() => transport.close());
  return createInference({ transport, ownKey });
}

const readiness = (
  { database, blobs, config }: Foundation<Config>,
  reserve: DiskReserve,
  vectors: VectorStore | undefined,
) => ({
  async blobs() {
    await blobs.check();
    return { ready: true };
  },
  async database() {
    await sql`select 1`.execute(database.query);
    return { ready: true, detail: database.dialect };
  },
  disk: () => reserve.check(),
  // The embedded store opens its files on first use.
  ...(vectors && config.vectors.url !== undefined
    ? { vectors: () => vectors.check().then(() => ({ ready: true, detail: 'qdrant' })) }
    : undefined),
});

/** Worker threads of the dispatcher. One worker is the main thread itself. */
const threadsOf = ({ dispatcher: { workers } }: Config, only: readonly PartName[]) =>
  only.includes('dispatcher') && workers > 1 ? workers : 0;

/** The chatbot alone is a web site, so it uses the browsers' default port. */
const defaultPort = (only: readonly PartName[]) => (only.length === 1 && only[0] === 'chatbot' ? 80 : 5500);

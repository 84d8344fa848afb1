import { migrations } from './migrations.ts';
import type { StarterEvent } from './models/catalog/bring-up-starters.ts';
import { openParts, type PartName, partNames } from './parts.ts';
import { type BuiltApp, buildApp } from './platform/http/build-app.ts';
import { listen } from './platform/http/listen.ts';
import { Closers } from './platform/parts/closers.ts';
import { keepDiskReserve } from './platform/parts/disk-reserve.ts';
import { openFoundation } from './platform/parts/open-foundation.ts';
import type { Foundation } from './platform/parts/part.ts';
import { readinessOf } from './platform/parts/readiness.ts';
import { createWorkRunner } from './platform/queue/running/work-runner.ts';
import type { VectorStore } from './platform/vectors/vector-store.ts';
import { programVersion } from './platform/version.ts';
import type { Config } from './settings.ts';

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
      parts: readinessOf({
        ...foundation,
        disk: reserve,
        // The embedded store opens its files on first use.
        vectors: config.vectors.url === undefined ? undefined : vectors,
      }),
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

const needsVectors = (only: readonly PartName[]) => only.includes('index') || only.includes('chatbot');

/** The store of the bots' passages. It opens its files, or connects, on first use. */
async function openVectors({ config, logger }: Foundation<Config>, closers: Closers): Promise<VectorStore> {
  const { openVectors: open } = await import('./platform/vectors/open-vectors.ts');
  const vectors = await open(config.vectors, { dataDir: config.data_dir, logger });
  closers.add(() => vectors.close());
  return vectors;
}

/** Worker threads of the dispatcher. One worker is the main thread itself. */
const threadsOf = ({ dispatcher: { workers } }: Config, only: readonly PartName[]) =>
  only.includes('dispatcher') && workers > 1 ? workers : 0;

/** The chatbot alone is a web site, so it uses the browsers' default port. */
const defaultPort = (only: readonly PartName[]) => (only.length === 1 && only[0] === 'chatbot' ? 80 : 5500);

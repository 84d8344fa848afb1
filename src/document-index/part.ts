import type { BotQuery, Found } from '../contracts/retrieval.ts';
import type { Foundation, Part } from '../platform/parts/part.ts';
import { createSecretBox } from '../platform/secrets/secret-box.ts';
import { openSecretKey } from '../platform/secrets/secret-key.ts';
import type { VectorStore } from '../platform/vectors/vector-store.ts';
import { botsDirectory } from './bots/bots-directory.ts';
import { searchRoutes } from './evaluation/search-routes.ts';
import type { IndexDependencies, RunningDependencies } from './index-dependencies.ts';
import { indexService } from './index-service.ts';
import { recover } from './running/recover.ts';
import { requestReembeddings } from './running/reembed-bots.ts';
import { cleanUpAfterFailures, workKinds } from './running/work-kinds.ts';
import type { IndexSettings } from './settings.ts';
import { previewRoutes } from './sources/preview-routes.ts';
import { requestDueSyncs } from './syncing/request-syncs.ts';
import type { BotRow } from './tables.ts';

interface IndexConfig extends IndexSettings {
  documents: { max_file_size: number };
  secret_key?: string | undefined;
}

interface BotNeeds {
  /** Finds the passages of a bot that fit a question. */
  search(bot: BotRow, query: BotQuery): Promise<Found>;
}

/** How documents get into the index, and what else its commands call. */
export type IndexEngine = Pick<
  RunningDependencies,
  'ingestion' | 'models' | 'sources' | 'regression' | 'forget' | 'introduce'
>;

interface IndexNeeds extends BotNeeds {
  vectors: VectorStore;
  engine: IndexEngine;
  /** Says when other models are served; undefined if the management API runs in another process. */
  slots: { onChange(listener: () => void): void } | undefined;
}

/** Milliseconds between looks for syncs that are due, and for a new embeddings model where nobody says so. */
const lookEvery = 60_000;

/** The bots, for other parts. */
export type OpenedBots = ReturnType<typeof botsDirectory>;

export interface DocumentIndexPart extends Part {
  bots: OpenedBots;
}

/** The document index: bots, their documents, and the commands that change them. */
export function openDocumentIndex(
  foundation: Foundation<IndexConfig>,
  { vectors, engine, slots, search }: IndexNeeds,
): DocumentIndexPart {
  const { config, clock, logger } = foundation;
  const openedAt = clock.now();
  const deps: RunningDependencies = {
    ...indexDependencies(foundation, vectors),
    ...engine,
    largestFile: config.documents.max_file_size,
  };
  const stopping = new AbortController();
  let checking = Promise.resolve();
  const check = () => {
    checking = checking.then(async () => {
      if (stopping.signal.aborted) return;
      for (const request of [requestDueSyncs, requestReembeddings]) {
        await request(deps, stopping.signal).catch((error: unknown) => {
          if (!stopping.signal.aborted) logger.warn({ err: error }, 'the bots could not be checked');
        });
      }
    });
  };
  const bots = botsDirectory(deps, search);
  const unsubscribe = cleanUpAfterFailures(deps);
  let timer: NodeJS.Timeout | undefined;
  return {
    bots,
    services: [indexService(deps, [searchRoutes(bots), previewRoutes(deps)])],
    work: workKinds(deps),
    async start() {
      checking = recover(deps, { openedAt, signal: stopping.signal });
      slots?.onChange(check);
      timer = setInterval(check, lookEvery);
    },
    async close() {
      stopping.abort();
      clearInterval(timer);
      unsubscribe();
      await checking;
    },
  };
}

/** The bots of the same database, for a process that runs the chatbot without the index. */
export function openBots(
  foundation: Pick<Foundation, 'database' | 'queue' | 'blobs'>,
  { search }: BotNeeds,
): OpenedBots {
  return botsDirectory(foundation, search);
}

function indexDependencies(foundation: Foundation<IndexConfig>, vectors: VectorStore): IndexDependencies {
  const { config, database, clock, logger, queue, blobs } = foundation;
  const key = openSecretKey({ dataDir: config.data_dir, configured: config.secret_key });
  const secrets = createSecretBox(key);
  return { database, clock, logger, queue, blobs, vectors, settings: config.index, secrets };
}
